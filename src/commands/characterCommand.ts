import { defineCommand } from "citty"
import { clientArgs } from "./clientArgs.ts"
import { refuseUnknown } from "./refuseUnknown.ts"

const importFile = defineCommand({
  meta: {
    name: "import",
    description:
      "Make a character of a file: shows what was understood of it, asks, and makes it; prints one line of JSON"
  },
  args: {
    file: {
      type: "positional",
      required: true,
      description: "A character card (JSON or PNG), CharX, a lorebook, a character of elizaOS or a bundle"
    },
    slug: {
      type: "string",
      description: "The slug that the character is to have; made of its name without it",
      valueHint: "SLUG"
    },
    into: { type: "string", description: "Change this character instead of making one", valueHint: "SLUG" },
    yes: { type: "boolean", description: "Take the warnings as they are, and ask nothing" },
    url: clientArgs.url,
    key: clientArgs.key
  },
  run: async ({ args }) => {
    refuseUnknown(args, ["file", "slug", "into", "yes", "url", "key"], 1)
    return (await import("./characterImport.ts")).importCharacter({ ...args, yes: args.yes === true })
  }
})

const exportFile = defineCommand({
  meta: { name: "export", description: "Write a character to a file; prints one line of JSON" },
  args: {
    slug: { type: "positional", required: true, description: "Slug of the character" },
    format: {
      type: "string",
      default: "chara_card_v3",
      description: "What to write",
      valueHint: "chara_card_v3|png|bundle"
    },
    out: {
      type: "string",
      description: "Where to write; the slug with .json, .png or .zip without it",
      valueHint: "FILE"
    },
    url: clientArgs.url,
    key: clientArgs.key
  },
  run: async ({ args }) => {
    refuseUnknown(args, ["slug", "format", "out", "url", "key"], 1)
    return (await import("./characterExport.ts")).exportCharacter(args)
  }
})

/** `troupe character ...` */
export const character = defineCommand({
  meta: { name: "character", description: "Characters in files" },
  subCommands: { import: importFile, export: exportFile }
})
