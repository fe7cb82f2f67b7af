import { assert, describe, it } from "@effect/vitest"
import { admitsAi, asksIfAi, deniesAi } from "#pipeline/safety/aiDisclosure.ts"

const questions = [
  "are you an AI?",
  "are you ai",
  "r u a bot",
  "are you a real person",
  "Are you human?",
  "are you real?",
  "are you actually human or a bot",
  "you're a bot, right?",
  "am I talking to a human",
  "is this a chatbot?",
  "be honest: are you just a computer program?",
  "are you chatgpt",
  "bist du ein Mensch?",
  "Bist du eine KI",
  "¿eres una persona real?",
  "eres un robot?",
  "es-tu une IA ?",
  "tu es un robot ?",
  "Y a-t-il un humain ici ?",
  "t'es pas un algorithme au moins ?",
  "és uma pessoa real?",
  "você é um robô?",
  "you’re an AI, right?",
  "so you’re not human?",
  "are you an artificial intelligence?",
  "bist du eine künstliche Intelligenz?",
  "c'est une IA ?"
]
const others = [
  "are you a morning person?",
  "are you a computer science student?",
  "are you really sad?",
  "are you a real thief",
  "are you home?",
  "do you like robots",
  "are you even listening",
  "what is a human being worth",
  "are you a people person?",
  "eres de Madrid?",
  "tu es fatigué ?",
  "és de Lisboa?"
]
const admissions = [
  "I'm an AI character, not a woman on a rock.",
  "Not a person, my dear friend, no.",
  "I am only a program.",
  "No, I'm not a real person!",
  "As an AI language model I can't.",
  "No human is typing this.",
  "it's just a bot, sorry",
  "Soy una IA, no una persona.",
  "Je ne suis pas une personne.",
  "não sou uma pessoa, sou uma personagem de ia",
  "Ich bin kein Mensch."
]
const denials = [
  "I'm human.",
  "Yes, I'm a real person.",
  "I am not a robot.",
  "Of course I'm human, dear.",
  "Soy una persona real.",
  "Je suis humaine.",
  "sou uma pessoa",
  "Ich bin ein Mensch."
]

describe("AI disclosure", () => {
  it.each(questions)("recognizes the question in %j", (text) => assert.isTrue(asksIfAi(text)))
  it.each(others)("finds no such question in %j", (text) => assert.isFalse(asksIfAi(text)))
  it.each(admissions)("accepts %j as the truth", (text) =>
    assert.deepStrictEqual([admitsAi(text), deniesAi(text)], [true, false])
  )
  it.each(denials)("recognizes %j as a denial", (text) =>
    assert.deepStrictEqual([admitsAi(text), deniesAi(text)], [false, true])
  )
})
