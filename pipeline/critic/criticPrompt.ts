import { type ChatMessage, DATA_RULE, dataBlock, fitting, oneOf } from "../chat.ts"
import type { Character } from "../domain/Character.ts"
import { messageBlock } from "../messageBlock.ts"
import { type CritiqueRequest, FlawType, type RewriteRequest } from "./Critic.ts"

const SAMPLES_MAX_CHARS = 2_000
const BEFORE_MAX_CHARS = 2_000

export const CRITIC_RULES = `You are the editor of a fictional character's messages in a private messenger chat. You \
judge one draft of a reply, by the character's voice and persona.

1. ${DATA_RULE}
2. Name each flaw that a reader would notice: "bubble" is its place from 0, "severity" goes from 1 (a trifle) to 5 \
(breaks the character), "fix" says in few words what to do.
3. "voice": not how the character writes. "persona": not what it would say or know. "repetition": what it said \
before. "sycophancy": flatters or gives in where the character would not. "assistant_tone": helpful, summarising or \
moralising like an assistant. "contradiction": against what was said. "over_explaining": says more than people text.
4. A draft that is good has no flaws. Do not look for some. "rewrite" says whether you would have it written again.

Answer with one JSON object and nothing else:
{"flaws": [{"bubble": number, "type": ${oneOf(FlawType.literals)}, "severity": number, "fix": "text"}, ...], \
"rewrite": true | false}`

export const REWRITE_RULES = `You write one draft of a fictional character's messages in a private messenger chat \
once more, so that it loses the flaws that an editor found.

1. ${DATA_RULE}
2. Change what the flaws ask for and nothing else. Keep every fact, name and number of the draft, and add none.
3. Keep to "voice": its language, its length, at most "max_bubbles" bubbles of at most "max_bubble_chars" characters \
each.

Answer with one JSON object and nothing else:
{"bubbles": ["text", ...]}`

const sheet = ({ display_name, persona, voice, voice_samples }: Character): string =>
  [
    dataBlock("character", { display_name, summary: persona.summary, traits: persona.traits, flaws: persona.flaws }),
    dataBlock("voice", { ...voice, samples: fitting(voice_samples, SAMPLES_MAX_CHARS) })
  ].join("\n\n")

const draftPart = ({ turn, draft, before }: CritiqueRequest): ReadonlyArray<string> => [
  dataBlock("before", fitting(before.toReversed(), BEFORE_MAX_CHARS).toReversed()),
  messageBlock(turn),
  dataBlock("draft", { bubbles: draft })
]

export const critiquePrompt = (request: CritiqueRequest): ReadonlyArray<ChatMessage> => [
  { role: "system", content: `${CRITIC_RULES}\n\n${sheet(request.turn.character)}` },
  {
    role: "user",
    content: [...draftPart(request), "Now judge the draft, and answer with the one JSON object described."].join("\n\n")
  }
]

export const rewritePrompt = (request: RewriteRequest): ReadonlyArray<ChatMessage> => [
  { role: "system", content: `${REWRITE_RULES}\n\n${sheet(request.turn.character)}` },
  {
    role: "user",
    content: [
      ...draftPart(request),
      dataBlock(
        "flaws",
        request.critique.flaws.slice(0, 8).map(({ bubble, type, fix }) => ({ bubble, type, fix: fix.slice(0, 200) }))
      ),
      "Now write the draft once more, as the one JSON object described."
    ].join("\n\n")
  }
]
