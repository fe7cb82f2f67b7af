import { defineCommand } from "citty"
import { clientArgs, clientFlags } from "#src/commands/terminal/clientArgs.ts"
import { refuseUnknown } from "#src/commands/terminal/refuseUnknown.ts"

const run = defineCommand({
  meta: {
    name: "run",
    description: "Run an eval suite, print the result of each case, and fail if a gate fails"
  },
  args: {
    suite: { type: "positional", required: true, description: "Id of a suite (evs_...), or a JSON file with a suite" },
    offline: { type: "boolean", description: "Use the offline engine, which costs nothing" },
    "max-cost-usd": {
      type: "string",
      description: "Cost limit. Required if the server has a model",
      valueHint: "N"
    },
    repeats: { type: "string", description: "How often to play each case. Default: once", valueHint: "1-5" },
    seed: { type: "string", description: "Seed of the random choices. Default: 1", valueHint: "N" },
    mode: { type: "string", default: "fast", description: "Reply mode", valueHint: "fast|deep" },
    "character-version": {
      type: "string",
      description: "Version of the character. Default: the newest",
      valueHint: "N"
    },
    baseline: {
      type: "string",
      description: "Run to compare with. Fails if the new run is significantly worse",
      valueHint: "evr_..."
    },
    reporter: {
      type: "string",
      default: "table",
      description: "How to print the results. junit: as XML for a CI system",
      valueHint: "table|junit"
    },
    ...clientArgs
  },
  run: async ({ args }) => {
    refuseUnknown(
      args,
      [
        "suite",
        "offline",
        "max-cost-usd",
        "maxCostUsd",
        "repeats",
        "seed",
        "mode",
        "character-version",
        "characterVersion",
        "baseline",
        "reporter",
        ...clientFlags
      ],
      1
    )
    return (await import("./eval.ts")).runEval({
      ...args,
      offline: args.offline === true,
      maxCostUsd: args["max-cost-usd"],
      characterVersion: args["character-version"],
      json: args.json === true
    })
  }
})

/** `troupe eval ...` */
export const evals = defineCommand({
  meta: { name: "eval", description: "Tests of characters" },
  subCommands: { run }
})
