import { defineCommand } from "citty"
import { clientArgs, clientFlags } from "./clientArgs.ts"
import { refuseUnknown } from "./refuseUnknown.ts"

const run = defineCommand({
  meta: {
    name: "run",
    description: "Play a suite of evals, print what became of each case, and fail where a gate is not passed"
  },
  args: {
    suite: { type: "positional", required: true, description: "Id of a suite (evs_...), or a JSON file with one" },
    offline: { type: "boolean", description: "By the offline engine, for nothing" },
    "max-cost-usd": {
      type: "string",
      description: "The most that it may cost; needed where the server has a model",
      valueHint: "N"
    },
    repeats: { type: "string", description: "How often each case is played; once without it", valueHint: "1-5" },
    seed: { type: "string", description: "What chance draws by; 1 without it", valueHint: "N" },
    mode: { type: "string", default: "fast", description: "How replies are made", valueHint: "fast|deep" },
    "character-version": {
      type: "string",
      description: "This version of the character instead of the newest",
      valueHint: "N"
    },
    baseline: {
      type: "string",
      description: "A run to compare with; it fails where the new one is worse by more than chance",
      valueHint: "evr_..."
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
  meta: { name: "eval", description: "What characters are held to" },
  subCommands: { run }
})
