import { defineCommand } from "citty"
import { refuseUnknown } from "#src/commands/terminal/refuseUnknown.ts"

export const migrate = defineCommand({
  meta: { name: "migrate", description: "Migrate the schema of the database; prints one line of JSON" },
  run: async ({ args }) => {
    refuseUnknown(args, [], 0)
    return (await import("./migrate.ts")).migrateDatabase()
  }
})
