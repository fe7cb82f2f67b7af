import type { Method } from "./Method.ts"
import { editing } from "./methods/editing.ts"
import { identity } from "./methods/identity.ts"
import { managed } from "./methods/managed.ts"
import { media } from "./methods/media.ts"
import { profile } from "./methods/profile.ts"
import { sending } from "./methods/sending.ts"
import { updates } from "./methods/updates.ts"

const table = { ...editing, ...identity, ...managed, ...media, ...profile, ...sending, ...updates }

export type MethodName = keyof typeof table

/**
 * The methods of this Bot API by their lower-case names. All others are missing, so that a test which needs one fails
 * clearly.
 */
export const methods: ReadonlyMap<string, { readonly name: string; readonly run: Method }> = new Map(
  Object.entries<Method>(table).map(([name, run]) => [name.toLowerCase(), { name, run }])
)
