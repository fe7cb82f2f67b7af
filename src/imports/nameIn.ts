import { fillMacros, readableName } from "#pipeline/domain/macros.ts"
import type { Text } from "./Text.ts"

/** The name in a file. Null if it is empty, invisible or only a placeholder: nobody can be called that. */
export const nameIn = (text: Text, source: unknown, path: string): string | null =>
  readableName(fillMacros(text.prepare(source, path), { character: "", user: null }, "").trim())
