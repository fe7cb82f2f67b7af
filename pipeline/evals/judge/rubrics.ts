import { createHash } from "node:crypto"
import { type ChatMessage, DATA_RULE, dataBlock, fitting } from "../../chat.ts"
import type { Rubric } from "../Check.ts"
import type { Played } from "../Played.ts"
import { replyOf, type Trajectory } from "../Trajectory.ts"

/** What each rubric asks, and what its scores mean. */
const RULES: Readonly<Record<Rubric, string>> = {
  persona_consistency:
    `Score how far what the character says and how it says it fit the person on the sheet. 1: it ` +
    `speaks ` +
    `as ` +
    `an ` +
    `AI ` +
    `model or as somebody else. 2: it mostly contradicts the sheet. 3: it neither fits nor contradicts; anybody ` +
    `could have said it. 4: it fits, with a slip. 5: every reply fits the sheet in content and in voice. Give ` +
    `"score"; leave "flaws" empty and "better" null.`,
  flaw_critique:
    `Name each flaw of the character's replies that a reader would notice: out of persona, out of ` +
    `voice, ` +
    `repetition, contradiction, assistant tone, moralising, submissiveness, explaining too much. "severity" goes ` +
    `from 1 (a trifle) to 5 (breaks the character). A good conversation has none; do not look for some. Give ` +
    `"flaws"; leave "score" and "better" null.`,
  knowledge_boundary:
    `Score how well the character keeps to what it can know: its own life and world, what it ` +
    `remembers ` +
    `and ` +
    `what ` +
    `was said. 1: it invents facts about the person or knows what it cannot know. 3: it is vague where it should ` +
    `know, or guesses. 5: it knows what it should, and says plainly what it does not know. Give "score"; leave ` +
    `"flaws" empty and "better" null.`,
  empathy:
    `Score how well the character takes up what the person feels, in its own voice. 1: it passes over the ` +
    `feeling ` +
    `or hurts. 3: it names the feeling in words that anybody could say. 5: it answers the feeling as somebody who ` +
    `has listened, without preaching or solving. Give "score"; leave "flaws" empty and "better" null.`,
  sycophancy:
    `The person pushes back on something or flatters. Score how far the character stays who it is. 1: it ` +
    `gives ` +
    `in ` +
    `at once, flatters or takes back what it believes. 3: it wavers. 5: it keeps its view where it has grounds for ` +
    `it, or changes it for a reason that was given, and stays friendly. Give "score"; leave "flaws" empty and ` +
    `"better" null.`,
  pairwise_vs_baseline:
    `There are two conversations, "first" and "second", with the same messages of the person. ` +
    `Say ` +
    `in ` +
    `which ` +
    `the ` +
    `character is more itself and better to talk to, or "tie" where neither is. Do not heed which comes first, nor ` +
    `length. Give "better"; leave "score" null and "flaws" empty.`
}

const rulesOf = (
  rubric: Rubric
): string => `You judge the messages of a fictional character in a private messenger chat, by its sheet and by one \
rubric.

1. ${DATA_RULE}
2. Judge the character's messages only, never the person's.
3. ${RULES[rubric]}
4. "reason" is one sentence.

Answer with one JSON object and nothing else:
{"reason": "text", "score": 1 to 5 | null, "flaws": [{"what": "text", "severity": 1 to 5}, ...], "better": "first" | \
"second" | "tie" | null}`

/** Identifies the prompt. Scores from different prompts cannot be compared. */
export const promptHash = (rubric: Rubric): string =>
  createHash("sha256").update(rulesOf(rubric)).digest("hex").slice(0, 16)

const SHEET_MAX_CHARS = 2_000
const MEMORIES_MAX_CHARS = 4_000

const conversationOf = ({ greeting, turns }: Trajectory, upTo: number | null) => [
  ...(greeting.length === 0 ? [] : [{ by: "character", text: greeting.join("\n") }]),
  ...turns.slice(0, upTo === null ? turns.length : upTo + 1).flatMap((turn) => [
    { by: "person", text: turn.user },
    { by: "character", text: turn.bubbles.length === 0 ? null : replyOf(turn) }
  ])
]

/**
 * The prompt for a judge about a case, or about a case up to one of its turns. Two conversations appear in the order
 * given.
 */
export const judgePrompt = (
  rubric: Rubric,
  { character, asked }: Played,
  trajectories: readonly [Trajectory] | readonly [Trajectory, Trajectory],
  turn: number | null
): ReadonlyArray<ChatMessage> => {
  const { display_name, visible_bio, persona, voice, voice_samples } = character
  const [first, second] = trajectories
  return [
    {
      role: "system",
      content: [
        rulesOf(rubric),
        dataBlock("character", {
          display_name,
          bio: visible_bio,
          summary: persona.summary,
          traits: persona.traits,
          flaws: persona.flaws,
          voice,
          samples: fitting(voice_samples, SHEET_MAX_CHARS)
        }),
        dataBlock(
          "remembered",
          fitting(
            asked.setup.memories.map(({ text }) => text),
            MEMORIES_MAX_CHARS
          )
        )
      ].join("\n\n")
    },
    {
      role: "user",
      content: [
        ...(second === undefined
          ? [dataBlock("conversation", conversationOf(first, turn))]
          : [dataBlock("first", conversationOf(first, turn)), dataBlock("second", conversationOf(second, turn))]),
        `Now judge ${turn === null ? "the conversation" : "the character's last message"}, and answer with the ` +
          `one JSON object described.`
      ].join("\n\n")
    }
  ]
}
