import { ownedBytes } from "#src/http/server/body/ownedBytes.ts"
import { runOnThread } from "#src/http/server/reference/runOnThread.ts"
import type { write } from "./exportThread.ts"
import type { CharacterExport, ExportFile } from "./writeCharacterExport.ts"

const THREAD = new URL("./exportThread.ts", import.meta.url)
const WRITE = "write" satisfies keyof { readonly write: typeof write }

/** Writes a character as a file on another thread. The contents of its pictures are moved. */
export const writeOnThread = (character: CharacterExport): Promise<ExportFile> => {
  const images = new Map([...character.images].map(([sha256, content]) => [sha256, ownedBytes(content)] as const))
  return runOnThread(
    THREAD,
    WRITE,
    { ...character, images },
    [...images.values()].map(({ buffer }) => buffer)
  )
}
