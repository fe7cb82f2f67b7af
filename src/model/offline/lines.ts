import type { Act } from "./acts.ts"

/** What the engine says where the author wrote nothing that fits. Plain enough for any character. */
export const ACT_LINES: Readonly<Record<Act, ReadonlyArray<string>>> = {
  greeting: ["Hello.", "Hello again.", "Good to hear from you.", "There you are."],
  farewell: ["Until next time.", "Take care of yourself.", "Go well. We'll talk again.", "Goodbye for now."],
  thanks: ["You're welcome.", "Any time.", "Glad to.", "Don't mention it."]
}

/** True of this engine: authored lines, chosen by rule. No model is involved and none is claimed. */
export const CANDID_LINES: ReadonlyArray<string> = [
  "I'm {{char}}, and I'm not human: a small program picks my lines from what my author wrote.",
  "Fair question. I'm not a person but a character, and a program chooses which of my written lines you get.",
  "No human is typing this. My author wrote the lines, and a program decides which one comes next.",
  "You deserve a straight answer: I'm not a person. What you read was written beforehand and picked by a program."
]

/** When even the author's lines are used up. More than the ten turns within which nothing is said twice. */
export const NEUTRAL_LINES: ReadonlyArray<string> = [
  "Go on.",
  "Tell me more about that.",
  "I'm listening.",
  "Hm. I'd have to think about that one.",
  "What makes you say so?",
  "I don't have a good answer to that. What's yours?",
  "Start from the beginning, I have time.",
  "And then what happened?",
  "That's new to me.",
  "Let me turn that over for a while.",
  "How long have you been thinking about this?",
  "I can't say I know. Can you?",
  "Say it another way for me?"
]
