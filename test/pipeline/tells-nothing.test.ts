import { assert, describe, it } from "@effect/vitest"
import type { EndedTurn } from "#pipeline/relational/Extractor.ts"
import { tellsNothing } from "#pipeline/relational/tellsNothing.ts"
import { plainCharacter, turnOf } from "#test/support/conversation/turns.ts"

const at = new Date(0)
const ended = (text: string, before = "The kettle is on.", reply = "Hm. The lamp is lit."): EndedTurn => ({
  sessionId: "ses_1",
  turnIndex: 1,
  character: plainCharacter,
  endUser: turnOf({}).endUser,
  outcome: "replied",
  history: [{ role: "character", text: before, cursor: 1, at }],
  message: { role: "user", text, cursor: 2, at },
  reply: { role: "character", text: reply, cursor: 4, at },
  at
})

describe("a message that tells nothing of the person", () => {
  it.each([
    "hi",
    "good night!",
    "thanks",
    "haha ok",
    "👍",
    "what's the weather like?",
    "do you like rain?",
    "Where do you live? And since when?",
    "hey! how old are you?",
    "wie alt bist du?",
    "gostas de café?",
    "¿dónde vives?"
  ])("is not read by a model: %s", (text) => assert.isTrue(tellsNothing(ended(text))))

  it.each([
    "the cat's called Professor",
    "Mum remarried",
    "hi, I'm Ana",
    "do you remember my sister?",
    "forget that please",
    "you're stupid",
    "Nadia plays the cello. do you like music?",
    "mein Hund heißt Fips",
    "a minha mãe vem amanhã",
    "mi hermana toca el violín",
    "so tired today"
  ])("is another one than: %s", (text) => assert.isFalse(tellsNothing(ended(text))))

  it("is none that answers a question of the character, or that the character answers with a promise", () => {
    assert.isFalse(tellsNothing(ended("yes", "Do you have a dog?")))
    assert.isFalse(tellsNothing(ended("do you sing?", "The kettle is on.", "I'll sing for you tomorrow.")))
  })
})
