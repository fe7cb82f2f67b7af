import { assert, describe, it } from "vitest"
import { cleanBubble } from "#pipeline/emission/cleanBubble.ts"
import { plainCharacter } from "#test/support/conversation/turns.ts"

const cleaned = (text: string) => cleanBubble(text, plainCharacter.voice, "Ada")

describe("text between asterisks", () => {
  it.each([
    ["I *never* said that.", "I never said that."],
    ["He *did not* say a word.", "He did not say a word."],
    ["It was *really really* late, sorry.", "It was really really late, sorry."],
    ["**Never** open it.", "Never open it."]
  ])("is kept if it is stressed: %s", (text, kept) => assert.strictEqual(cleaned(text), kept))

  it.each([
    ["*opens the window* Cold.", "Cold."],
    ["Hm. *she looks away* Fine.", "Hm. Fine."],
    ["Well *shrugs a little* why not.", "Well why not."],
    ["Good *the door creaks* evening.", "Good evening."]
  ])("is left out if it is narrated: %s", (text, kept) => assert.strictEqual(cleaned(text), kept))
})
