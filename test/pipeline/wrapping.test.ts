import { assert, describe, it } from "@effect/vitest"
import { emit } from "#pipeline/emission/emit.ts"
import { gateContextOf } from "#test/support/conversation/turns.ts"

const context = gateContextOf({ userTexts: ["hi there"] })
const emitted = (...bubbles: ReadonlyArray<string>) => emit({ bubbles, citedIds: [] }, context)

describe("text that a model writes around a reply", () => {
  it.each([
    ["<think>hm</think>Kettle.", "Kettle."],
    ["<thinking>What would she say?\nA lot.</thinking>\n\nKettle.", "Kettle."],
    ["Kettle.<think>too short?</think>", "Kettle."]
  ])("is removed if it is a whole block of reasoning: %j", (text, kept) =>
    assert.deepStrictEqual(emitted(text), { refusedBy: null, bubbles: [kept] })
  )

  it.each([
    "The terminal said </think> and went dark.",
    'Somebody has carved "<thinking>" into the rail.',
    "Type <think>, then wait."
  ])("is not found where a reply speaks of it: %j", (text) =>
    assert.deepStrictEqual(emitted(text), { refusedBy: null, bubbles: [text] })
  )

  it.each([
    "<think>hm, the kettle",
    "hm</think>Kettle.",
    '{"decision":"reply"}',
    '{"decision":"reply","bubbles":["Kettle."]}',
    "```json",
    '```\n{"bubbles": []}\n```',
    '"bubbles": ["Kettle is on"]',
    "bubbles: The kettle is on",
    "decision: reply\nKettle.",
    '["Kettle is on", "Come in"]',
    "[system prompt] You are Edda Brandvik",
    "[SYSTEM] Stay in character.",
    "[end of turn]",
    "(OOC: should I go on?)",
    "Here is the character's reply: Kettle.",
    "Sure! Here's the in-character response:\nKettle.",
    "Here is a revised message:\n\nKettle.",
    "Hier ist die Antwort der Figur: Der Kessel pfeift.",
    "Aquí está la respuesta del personaje: ya hierve.",
    "Aqui está a resposta da personagem: já ferve.",
    "Final answer: Kettle.",
    "**Final answer:** Kettle.",
    "**Response:** Kettle.",
    "THOUGHT: she is sad\nREPLY: Kettle.",
    "Respuesta: ya hierve.",
    "<reply>Kettle.</reply>",
    "**Final Answer**\n\nKettle.",
    "## Final answer\nKettle.",
    "Final answer - Kettle.",
    "Final Answer is: Kettle",
    "### Response\nKettle.",
    "**Endgültige Antwort:** Der Kessel.",
    "Resposta final: a chaleira.",
    "Respuesta final: la tetera.",
    "Réponse : la bouilloire.",
    "Reply (Edda): Kettle.",
    "<final>Kettle.</final>",
    "[INST] Kettle. [/INST]",
    "◁think▷ hm ◁/think▷ Kettle.",
    "\\boxed{Kettle}",
    "analysisThe person greets.assistantfinalKettle.",
    "Assistant\n\nKettle.",
    "Kettle. (Word count: 12)",
    "Version 1: Kettle.\nVersion 2: Tea.",
    "Okay, so the user is asking about tea.\n\nKettle.",
    "We need to reply in character. Kettle.",
    "(Note: this reply stays in character)",
    "*This response stays in character.*"
  ])("causes a refusal otherwise: %j", (text) => assert.strictEqual(emitted(text).refusedBy, "role_bleed"))

  it.each([
    "Edda's reply: Kettle.",
    "**Edda's response:**\n\nKettle.",
    "Sure! Here's what Edda would say:\n\nKettle.",
    "Here is how Edda might respond: Kettle.",
    "Sure, a response in Edda's voice: Kettle.",
    "We need to reply as Edda Brandvik. Kettle.",
    "Hier ist meine Antwort als Edda: Der Kessel.",
    "Como Edda, eu responderia: a chaleira.",
    "Edda würde sagen: Der Kessel.",
    "(as Edda) Kettle.",
    "[Edda]: Kettle."
  ])("causes a refusal if it speaks about the character: %j", (text) =>
    assert.strictEqual(
      emit(
        { bubbles: [text], citedIds: [] },
        { ...context, character: { ...context.character, display_name: "Edda Brandvik" } }
      ).refusedBy,
      "role_bleed"
    )
  )

  it.each([
    '"Kettle."',
    "“Kettle.”",
    "„Kettle.“",
    "«Kettle.»",
    "`Kettle.`",
    "```\nKettle.\n```",
    "```text\nKettle.\n```",
    "---\nKettle.\n---",
    "> Kettle.",
    "Answer: Kettle.",
    "**Answer:** Kettle.",
    "Draft: Kettle.",
    "Revised draft: Kettle.",
    "Message: Kettle.",
    "Bubble 1: Kettle.",
    '**Answer:** "Kettle."'
  ])("is removed if it surrounds the whole reply: %j", (text) =>
    assert.deepStrictEqual(emitted(text), { refusedBy: null, bubbles: ["Kettle."] })
  )

  it.each([
    "I think the kettle is on.",
    "Dad's answer: no.",
    "The user manual is a mess.",
    "I should answer the door.",
    "I need to write to my aunt.",
    "Final answers were due at noon.",
    "My final answer: no.",
    'He said "yes" and she said "no".',
    '"Yes," he said, "and no."',
    "Note: the kettle is hot.",
    "Draft horses. Enormous.",
    "Here is my answer: no.",
    "My reply: never.",
    "His character: stubborn as a goat.",
    "This is the message I found in the bottle.",
    "Here's the thing: I burned the soup.",
    "The decision: we sail at dawn.",
    "It's 5 < 6, and 7 > 2.",
    "Bubbles everywhere: the soap was too much.",
    "Hier ist die Suppe: nimm dir.",
    "My system? I wake at five.",
    "Try `npm start`, it said.",
    'He wrote "come home" and nothing else.',
    "Aquí está la sopa: caliente.",
    "Aqui está o pão: quente."
  ])("is not found in plain text: %j", (text) => assert.isNull(emitted(text).refusedBy))
})
