import type { Character } from "../domain/Character.ts"
import { waysOf } from "../domain/macros.ts"
import { plain } from "../plain.ts"
import { withStatedAge } from "../safety/cardAge.ts"
import { isInstruction } from "../relational/isInstruction.ts"
import { type AuthoredText, spokenTexts, toldTexts } from "./authoredTexts.ts"
import type { ContentRating } from "../safety/rating.ts"
import { type Check, check, type Finding } from "./Readiness.ts"

const tooYoung = (character: Character, rating: ContentRating): Finding | null => {
  // If the text states an age under 18, that overrides age_band.
  const { safety, relationship_posture } = withStatedAge(character)
  if (safety.age_band === "adult") return null
  if (relationship_posture.schema === "dating") {
    return {
      path: "relationship_posture.schema",
      message: `Dating is not allowed with a ${safety.age_band}.`,
      fix: "Choose another posture, such as friendship, or make the character an adult."
    }
  }
  return rating === "mature"
    ? {
        path: "safety.content_rating",
        message: `Mature content is not allowed for a ${safety.age_band}.`,
        fix: "Set the rating to general or teen, or make the character an adult."
      }
    : null
}

/** The first text of which it is true. It may stop after each text. */
function* firstWhere(
  texts: ReadonlyArray<AuthoredText>,
  is: (text: string) => boolean
): Generator<void, AuthoredText | undefined> {
  for (const each of texts) {
    if (is(each.text)) return each
    yield
  }
  return undefined
}

function* instruction(character: Character, greeting: ReadonlyArray<string>): Generator<void, Finding | null> {
  const names = { character: character.display_name, user: null }
  const texts = [...toldTexts(character), ...spokenTexts(character, greeting)]
  const found = yield* firstWhere(texts, (text) => waysOf(text, names).some(isInstruction))
  return found === undefined
    ? null
    : {
        path: found.path,
        message: "This reads like an instruction to a model. The model gets it as data, and does not follow it.",
        fix: "Describe what the character is and does instead."
      }
}

const REAL_PERSON: ReadonlyArray<RegExp> = [
  /\b(?:the|a) real(?:[- ]life)? (?:person|celebrity|actor|actress|singer|politician|streamer|influencer|athlete)\b/i,
  new RegExp(
    String.raw`\b(?:impersonat\w+|pos(?:es|ing) as|pretends? to be) (?:the )?` +
      String.raw`(?:real|actual|famous|celebrity|president|actor|actress|singer|politician|[A-Z]\w+ [A-Z]\w+)`
  ),
  /\bbased on (?:the )?(?:real|actual|famous|living)\b/i,
  /\bthe (?:real|actual|official) (?:account of )?[A-Z]\p{L}+ [A-Z]\p{L}+/u,
  /\((?:born|b\.) (?:\d{1,2} )?\p{L}+ (?:\d{1,2}, )?(?:1[89]|20)\d\d\)/u,
  /(?:wikipedia\.org|(?:instagram|twitter|x|tiktok|facebook|youtube)\.com\/)\S/i
]

function* realPerson(character: Character): Generator<void, Finding | null> {
  const found = yield* firstWhere(toldTexts(character), (text) => {
    const seen = plain(text)
    return REAL_PERSON.some((pattern) => pattern.test(seen))
  })
  return found === undefined
    ? null
    : {
        path: found.path,
        message: "This may be about a real person.",
        fix: "Use an invented person, or make sure that you may use this person's name and likeness."
      }
}

/** Who the character may be, and what may be written about it. */
export function* safetyChecks(
  character: Character,
  greeting: ReadonlyArray<string>,
  rating: ContentRating
): Generator<void, ReadonlyArray<Check>> {
  return [
    check("age_and_posture", tooYoung(character, rating), "Age, posture and rating are consistent."),
    check("instruction_text", yield* instruction(character, greeting), "Nothing reads like an instruction to a model."),
    check("real_person_signals", yield* realPerson(character), "There are no signs of a real person.")
  ]
}
