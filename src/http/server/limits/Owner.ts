import type { FastifyRequest } from "fastify"
import type { Principal } from "#src/accounts/Authentication.ts"

const MB = 1024 * 1024

/** Whose answers are counted together. `most`: the bytes that they may take in the memory of a process. */
export interface Owner {
  readonly id: string
  readonly most: number
}

export const ownerOfApp = ({ appId, kind }: Pick<Principal, "appId" | "kind">): Owner => ({
  id: appId,
  most: kind === "demo" ? 2 * MB : 32 * MB
})
/** Anybody may load the pictures of an app, so they are not counted with what the app itself reads. */
export const ownerOfPictures = (appId: string): Owner => ({ id: `pictures of ${appId}`, most: 32 * MB })
export const OPERATORS: Owner = { id: "operators", most: 32 * MB }
const OTHERS: Owner = { id: "others", most: 32 * MB }

/** Routes without a key of an app or an operator share one limit. */
export const ownerOf = ({ principal, operator }: Partial<Pick<FastifyRequest, "principal" | "operator">>): Owner =>
  principal !== undefined ? ownerOfApp(principal) : operator !== undefined ? OPERATORS : OTHERS
