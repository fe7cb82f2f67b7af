import type { Npc } from "./World.ts"

/**
 * The ends of edges: `character`, `user` (the session's person), the id of an NPC, or a kind and a name such as
 * `place:Lisbon`.
 */
export const NODE_KINDS = ["character", "npc", "user", "place", "org", "topic"] as const

export interface Node {
  readonly id: string
  readonly kind: (typeof NODE_KINDS)[number]
  readonly label: string
  readonly npc_id?: string
}

const NAMED = /^(place|org|topic):(.*)$/s

/** The node for an id. Undefined if there is none. */
export const nodeOf = (id: string, characterName: string, npcs: ReadonlyMap<string, Npc>): Node | undefined => {
  if (id === "character") return { id, kind: "character", label: characterName }
  if (id === "user") return { id, kind: "user", label: "user" }
  const npc = npcs.get(id)
  if (npc !== undefined) return { id, kind: "npc", label: npc.name, npc_id: npc.id }
  const [, kind, label] = NAMED.exec(id) ?? []
  return kind === undefined || label === undefined ? undefined : { id, kind: kind as "place" | "org" | "topic", label }
}
