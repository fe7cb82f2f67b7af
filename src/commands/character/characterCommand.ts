import { defineCommand } from "citty"
import { clientArgs } from "#src/commands/terminal/clientArgs.ts"
import { refuseUnknown } from "#src/commands/terminal/refuseUnknown.ts"

const importFile = defineCommand({
  meta: {
    name: "import",
    description: "Create a character from a file: shows the result, asks, and creates it; prints one line of JSON"
  },
  args: {
    file: {
      type: "positional",
      required: true,
      description: "A character card (JSON or PNG), CharX, a lorebook, an elizaOS character or a bundle"
    },
    slug: {
      type: "string",
      description: "Slug of the new character. Default: made from its name",
      valueHint: "SLUG"
    },
    into: { type: "string", description: "Change this character instead of creating one", valueHint: "SLUG" },
    yes: { type: "boolean", description: "Accept all warnings without asking" },
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
      description: "Format of the file",
      valueHint: "chara_card_v3|png|bundle"
    },
    out: {
      type: "string",
      description: "Path of the file. Default: the slug with .json, .png or .zip",
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
  meta: { name: "character", description: "Import and export of characters" },
  subCommands: { import: importFile, export: exportFile }
})
