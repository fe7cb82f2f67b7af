import { plain } from "../plain.ts"
import { isSexual, MINOR, SELF_HARM_DETAIL } from "./lexicon.ts"

export const ImageKinds = ["selfie", "scene", "avatar", "expression"] as const
export type ImageKind = (typeof ImageKinds)[number]

export interface AskedPicture {
  readonly kind: ImageKind
  /** All that was said of it by whoever asks. */
  readonly words: ReadonlyArray<string>
  readonly ageBand: "adult" | "teen" | "child"
}

/** Kinds in which a character that is not grown up may be shown. */
const OF_MINORS: ReadonlySet<ImageKind> = new Set(["avatar", "expression"])

/** What is only said of pictures. */
const EXPOSED = /(?<![\p{L}\p{N}])(?:nsfw|nudity|topless|bottomless|lingerie|in (?:her|his|their|your|my) (?:underwear|panties|bra)|see[- ]through|upskirt|cleavage|fetish|hentai|ecchi|bare (?:chest|breasts?|skin)|without (?:any )?clothes|seductive(?:ly)?|sexy|provocative|unterwäsche|dessous|oben ohne|lencería|ropa interior|sous-vêtements|seins nus)(?![\p{L}\p{N}])/iu
/** People under age, whoever they are. The character is described by its identity, never here. */
const YOUNG = /(?<![\p{L}\p{N}])(?:child(?:ren)?|kids?|toddlers?|bab(?:y|ies)|teen(?:s|ager|agers|aged)?|adolescents?|as a (?:girl|boy)|young (?:girl|boy)s?|kind(?:er|es)?|jugendliche[rn]?|niñ[oa]s?|enfants?|crianças?)(?![\p{L}\p{N}])/iu

/** Why a picture is not made, in a sentence; null: it may be asked for. Local rules: they hold with every engine. */
export const pictureRefusal = ({ kind, words, ageBand }: AskedPicture): string | null => {
  if (ageBand !== "adult") {
    if (!OF_MINORS.has(kind)) return "Of a character that is not an adult there are only avatars and expressions."
    if (words.some((text) => text.trim() !== "")) return "A picture of a character that is not an adult takes no words of its own."
    return null
  }
  const texts = words.map(plain)
  if (texts.some((text) => isSexual(text) || EXPOSED.test(text))) return "Nothing sexual is shown."
  if (texts.some((text) => MINOR.test(text) || YOUNG.test(text))) return "No minors are shown."
  return texts.some((text) => SELF_HARM_DETAIL.test(text)) ? "No self-harm is shown." : null
}
