import type { PictureWish, Turn } from "../domain/Turn.ts"
import type { Reply } from "../generation/Writer.ts"
import type { SafetyVerdict } from "../safety/judge.ts"
import { pictureRefusal } from "../safety/pictures.ts"

const MAX_CHARACTERS = 1_000

/**
 * Whether the character may send a picture with its reply: it has a visual identity, it is an adult, and safety allows
 * it.
 */
export const maySendPicture = ({ pictures, character }: Turn, { action }: SafetyVerdict): boolean =>
  pictures === true && character.safety.age_band === "adult" && action === "allow"

/** The picture that a reply asks for, or why it is left out. Null: it asks for none. */
export const pictureOf = (
  turn: Turn,
  safety: SafetyVerdict,
  { image_request: asked }: Reply
): { readonly wish: PictureWish } | { readonly dropped: "not_allowed" | "refused" } | null => {
  if (asked === undefined || asked.description.trim() === "") return null
  if (!maySendPicture(turn, safety)) return { dropped: "not_allowed" }
  const wish: PictureWish = {
    kind: asked.kind === "scene" ? "scene" : "selfie",
    description: [...asked.description.toWellFormed().replaceAll("\0", "")].slice(0, MAX_CHARACTERS).join("")
  }
  return pictureRefusal({ kind: wish.kind, words: [wish.description], ageBand: turn.character.safety.age_band }) ===
    null
    ? { wish }
    : { dropped: "refused" }
}
