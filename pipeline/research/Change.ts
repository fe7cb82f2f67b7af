/** What each path of a character holds: one text, a list of texts, or a list of objects with a text. */
const PATHS = {
  visible_bio: "text",
  "persona.summary": "text",
  "persona.traits": "texts",
  "persona.values": "texts",
  "persona.flaws": "texts",
  "persona.goals": "goals",
  interests: "texts",
  "voice.signature_phrases": "texts",
  voice_samples: "samples",
  "world_context.summary": "text",
  "world_context.scene": "text",
  "world_context.entries": "entries",
  "relationship_posture.boundaries": "texts"
} as const
export type ChangePath = keyof typeof PATHS
export const CHANGE_PATHS = Object.keys(PATHS) as [ChangePath]
export const isChangePath = (path: string): path is ChangePath => Object.hasOwn(PATHS, path)

export const CHANGE_OPS = ["add", "replace"] as const

/** A proposed change to one path of a character. */
export interface Change {
  readonly path: string
  readonly op: (typeof CHANGE_OPS)[number]
  /** A text, or an entry of the list at the path. */
  readonly value: unknown
}

export const PURPOSES = ["canon", "world", "voice", "audience"] as const
export type Purpose = (typeof PURPOSES)[number]

/** The paths that a run may propose to change, by purpose. The first is the default. */
export const PATHS_FOR: Readonly<Record<Purpose, readonly [ChangePath, ...ReadonlyArray<ChangePath>]>> = {
  canon: [
    "world_context.entries",
    "visible_bio",
    "persona.summary",
    "persona.traits",
    "persona.values",
    "persona.flaws",
    "persona.goals",
    "interests"
  ],
  world: ["world_context.entries", "world_context.summary", "world_context.scene"],
  voice: ["voice_samples", "voice.signature_phrases"],
  audience: ["interests", "relationship_posture.boundaries"]
}

/** A text in the form that the path takes. `keys`: the trigger words of a world entry. */
export const valueFor = (path: ChangePath, text: string, keys: ReadonlyArray<string>): unknown => {
  switch (PATHS[path]) {
    case "text":
    case "texts":
      return text
    case "goals":
    case "samples":
      return { text }
    case "entries":
      return { content: text, ...(keys.length > 0 && { keys }) }
  }
}

const at = (profile: unknown, path: ReadonlyArray<string>): unknown =>
  path.reduce<unknown>(
    (index, key) =>
      typeof index === "object" && index !== null && Object.hasOwn(index, key)
        ? (index as Record<string, unknown>)[key]
        : undefined,
    profile
  )

const added = (path: ChangePath, there: unknown, value: unknown): unknown => {
  if (PATHS[path] !== "text")
    return [...(Array.isArray(there) ? there : []), ...(Array.isArray(value) ? value : [value])]
  return typeof there === "string" && there.trim() !== "" && typeof value === "string" ? `${there}\n\n${value}` : value
}

/** The JSON merge patch for a change of a profile. The caller validates the resulting character. */
export const mergePatchFor = (profile: object, path: ChangePath, { op, value }: Change): object => {
  const keys = path.split(".")
  const next =
    op === "add"
      ? added(path, at(profile, keys), value)
      : PATHS[path] === "text" || Array.isArray(value)
        ? value
        : [value]
  return keys.toReversed().reduce<unknown>((inner, key) => ({ [key]: inner }), next) as object
}
