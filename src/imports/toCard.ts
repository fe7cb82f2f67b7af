import { type Bundle, hashOf } from "./Bundle.ts"
import { loreKey } from "./unusedLore.ts"
import { type Fields, fieldsOf, isRecord, listOf, textOf, textsOf } from "./readJson.ts"
import { TROUPE_EXTENSION } from "./troupeExtension.ts"

const LOGIC: Readonly<Record<string, number>> = { and_any: 0, not_all: 1, not_any: 2, and_all: 3 }
const SPEAKERS: Readonly<Record<string, string>> = { user: "{{user}}", character: "{{char}}" }

const block = (turns: ReadonlyArray<readonly [string, string]>): string =>
  ["<START>", ...turns.map(([role, text]) => `${SPEAKERS[role] ?? "{{char}}"}: ${text}`)].join("\n")

const examplesOf = (profile: Fields): string => {
  const dialogues = listOf(profile["example_dialogues"])
    .filter(isRecord)
    .map((dialogue) =>
      block(
        isRecord(dialogue) && Array.isArray(dialogue["turns"])
          ? listOf(dialogue["turns"])
              .filter(isRecord)
              .map((turn) => [textOf(turn["role"]), textOf(turn["text"])] as const)
          : [
              ["user", textOf(dialogue["user"])],
              ["character", textOf(dialogue["character"])]
            ]
      )
    )
  const samples = listOf(profile["voice_samples"])
    .filter(isRecord)
    .map((sample) => block([["character", textOf(sample["text"])]]))
  return [...dialogues, ...samples].join("\n")
}

const greetingsOf = (greeting: unknown): { readonly first: string; readonly others: ReadonlyArray<string> } => {
  if (typeof greeting === "string") return { first: greeting, others: [] }
  const { mode, bubbles, alternates } = fieldsOf(greeting)
  const said = (way: unknown): string => (typeof way === "string" ? way : textsOf(way).join("\n\n"))
  return mode === "none" ? { first: "", others: [] } : { first: said(bubbles), others: listOf(alternates).map(said) }
}

const loreOf = (entry: Fields, index: number, rest: Fields): Fields => {
  const { decorators, extensions, ...more } = fieldsOf(rest[loreKey(entry["content"])])
  const secondary = textsOf(entry["secondary_keys"])
  const probability = entry["probability"]
  return {
    insertion_order: index,
    use_regex: false,
    ...more,
    keys: textsOf(entry["keys"]),
    ...(secondary.length > 0 && { secondary_keys: secondary }),
    selective: secondary.length > 0,
    content: [...textsOf(decorators), textOf(entry["content"])].join("\n"),
    enabled: entry["enabled"] !== false,
    constant: entry["constant"] === true,
    ...(entry["priority"] !== undefined && { priority: entry["priority"] }),
    ...(entry["case_sensitive"] === true && { case_sensitive: true }),
    extensions: {
      ...fieldsOf(extensions),
      selectiveLogic: LOGIC[textOf(entry["logic"])] ?? 0,
      ...(typeof probability === "number" && { probability: probability * 100, useProbability: true }),
      ...Object.fromEntries(
        [
          ["sticky", "sticky_turns"],
          ["cooldown", "cooldown_turns"],
          ["delay", "delay_turns"]
        ].flatMap(([theirs = "", ours = ""]) => (entry[ours] === undefined ? [] : [[theirs, entry[ours]]]))
      ),
      ...(textOf(entry["group"]) !== "" && { group: entry["group"] }),
      ...(entry["group_weight"] !== undefined && { group_weight: entry["group_weight"] }),
      match_whole_words: entry["whole_words"] !== false
    }
  }
}

/** What a card has no fields for, and the pictures as it lists them. */
export interface CardRest extends Pick<Bundle, "npcs" | "evidence" | "visual_identity"> {
  readonly assets: ReadonlyArray<{
    readonly type: string
    readonly uri: string
    readonly name: string
    readonly ext: string
  }>
  /** Whether the card's picture is only a placeholder. */
  readonly isPlaceholder: boolean
}
const NO_REST: CardRest = { npcs: [], evidence: [], visual_identity: null, assets: [], isPlaceholder: false }

/**
 * A character as a card of version 3. What the card has no fields for goes into `extensions.troupe`. Unused fields from
 * an import are written back to their original place.
 */
export const toCard = (
  slug: string,
  profile: Fields,
  extra: Fields,
  { npcs, evidence, visual_identity, assets, isPlaceholder }: CardRest = NO_REST
): Fields => {
  const persona = fieldsOf(profile["persona"])
  const world = fieldsOf(profile["world_context"])
  const { first, others } = greetingsOf(profile["greeting"])
  const card = fieldsOf(extra["card"])
  const kept = fieldsOf(extra["quarantine"])
  const entries = listOf(world["entries"]).filter(isRecord)
  const data = {
    ...fieldsOf(extra["fields"]),
    creator: "",
    creator_notes: "",
    character_version: "",
    tags: [],
    ...card,
    name: textOf(profile["display_name"]),
    description: textOf(persona["summary"]) || textOf(profile["visible_bio"]),
    personality: textsOf(persona["traits"]).join(", "),
    scenario: textOf(world["scene"]),
    first_mes: first,
    mes_example: examplesOf(profile),
    system_prompt: textOf(kept["system_prompt"]),
    post_history_instructions: textOf(kept["post_history_instructions"]),
    alternate_greetings: others,
    group_only_greetings: [],
    ...((entries.length > 0 || isRecord(extra["book"])) && {
      character_book: {
        extensions: {},
        ...fieldsOf(extra["book"]),
        entries: entries.map((entry, index) => loreOf(entry, index, fieldsOf(extra["lore"])))
      }
    }),
    extensions: {
      ...fieldsOf(extra["extensions"]),
      ...(kept["depth_prompt"] !== undefined && { depth_prompt: kept["depth_prompt"] })
    }
  }
  const ours = {
    profile: { slug, ...profile },
    ...(npcs.length > 0 && { npcs }),
    ...(evidence.length > 0 && { evidence }),
    ...(visual_identity !== null && { visual_identity }),
    ...(isPlaceholder && { placeholder: true }),
    card_sha256: hashOf(data)
  }
  return {
    spec: "chara_card_v3",
    spec_version: "3.0",
    data: { ...data, assets, extensions: { ...data.extensions, [TROUPE_EXTENSION]: ours } }
  }
}
