import { text } from "#src/http/server/schemas/text.ts"

const externalUserRef = text(1, 128)
/** Whether a path can name an end-user: their names are the app's own. */
export const isExternalUserRef = (ref: string): boolean =>
  externalUserRef.safeParse(ref).success && ref.isWellFormed() && !ref.includes("\0")
