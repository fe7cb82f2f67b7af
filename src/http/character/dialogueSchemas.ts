import * as z from "zod"
import { text, texts } from "#src/http/server/schemas/text.ts"
import { LINE_KINDS } from "#src/model/offline/lineKinds.ts"

const roles = ["user", "character"] as const

const turn = z.object({ role: z.enum(roles), text: text(1, 2000) })

/**
 * One object for both forms instead of a union. A union would answer "no branch matched" where the author needs to know
 * which turn is missing.
 */
const exampleDialogue = z
  .object({
    user: text(1, 1000).optional(),
    character: text(1, 2000).optional(),
    turns: z.array(turn).min(2).max(12).optional(),
    tags: texts(10, 40).optional()
  })
  .superRefine(({ user, character, turns }, context) => {
    if (turns === undefined) {
      if (user === undefined) context.addIssue({ code: "custom", path: ["user"], message: "Required" })
      if (character === undefined) context.addIssue({ code: "custom", path: ["character"], message: "Required" })
      return
    }
    if (user !== undefined || character !== undefined) {
      context.addIssue({ code: "custom", path: ["turns"], message: "Give either turns, or user and character" })
    }
    for (const role of roles) {
      if (!turns.some((turn) => turn.role === role)) {
        context.addIssue({ code: "custom", path: ["turns"], message: `Required: at least one ${role} turn` })
      }
    }
  })
  .meta({ anyOf: [{ required: ["user", "character"] }, { required: ["turns"] }] })

export const exampleDialogues = z
  .array(exampleDialogue)
  .max(500)
  .meta({
    examples: [
      [
        { user: "Are you open?", character: "For you? Always." },
        {
          turns: [
            { role: "user", text: "Long day." },
            { role: "character", text: "Sit. I'll pour." }
          ]
        }
      ]
    ]
  })

const greetingLine = text(1, 2400)

const authoredGreeting = z
  .object({
    mode: z
      .enum(["authored", "none"])
      .optional()
      .meta({ description: "Default authored. none: the user speaks first" }),
    bubbles: z.array(text(1, 600)).min(1).max(4).optional(),
    alternates: z.array(greetingLine).max(10).optional()
  })
  .superRefine(({ mode, bubbles }, context) => {
    if (mode !== "none" && bubbles === undefined)
      context.addIssue({ code: "custom", path: ["bubbles"], message: "Required" })
  })

export const greeting = z.union([greetingLine, authoredGreeting]).meta({
  description: "What the character says when a session begins",
  examples: ["Door's open.", { bubbles: ["Oh.", "You again."] }]
})

export const fallbackLines = texts(20, 300).meta({
  description: "Lines that replace a reply when no draft passed the gates"
})

const dialogueAct = z
  .string()
  .regex(/^[a-z][a-z0-9_]{0,39}$/)
  .meta({
    title: "DialogueAct",
    description:
      `The offline engine knows ${LINE_KINDS.map((kind) => `\`${kind}\``).join(", ")}. ` +
      "Lines for other acts are stored, but not used"
  })

export const offlineLines = z
  .record(dialogueAct, texts(20, 300))
  .refine((lines) => Object.keys(lines).length <= 60, "Too big: expected at most 60 acts")
  .meta({
    description:
      "Lines per dialogue act, for the offline engine. {{subject}}, {{value}} and {{quote}} stand for what the " +
      "person said",
    examples: [{ greeting: ["Evening."], recall: ["{{subject}}? {{value}}, you said."] }]
  })
