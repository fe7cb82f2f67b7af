import { text } from "#src/http/server/schemas/text.ts"

const externalUserRef = text(1, 128)
/** Whether a path segment can name an end-user. References are chosen by the app. */
export const isExternalUserRef = (ref: string): boolean =>
  externalUserRef.safeParse(ref).success && ref.isWellFormed() && !ref.includes("\0")
