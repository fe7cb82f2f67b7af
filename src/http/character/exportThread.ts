import { move, transferableSymbol, valueSymbol } from "piscina"
import { ownedBytes } from "#src/http/server/body/ownedBytes.ts"
import { type CharacterExport, writeCharacterExport } from "./writeCharacterExport.ts"

/** Called by name from src/http/character/onExportThread.ts, on a thread of its own. The content is moved. */
export const write = async (character: CharacterExport) => {
  const file = await writeCharacterExport(character)
  const content = ownedBytes(file.content)
  return move({ [transferableSymbol]: [content.buffer], [valueSymbol]: { ...file, content } })
}
