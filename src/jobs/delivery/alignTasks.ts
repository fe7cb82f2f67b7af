import * as Schema from "effect/Schema"
import { Alignment } from "#src/db/delivery/Alignment.ts"
import { Channels } from "#src/db/delivery/Channels.ts"
import { task, taskFor } from "#src/jobs/runner/task.ts"

/** Creates a lane for a channel on every session that it covers. */
export const alignTask = taskFor(
  "align",
  Schema.Struct({ app_id: Schema.String, channel_id: Schema.String }),
  ({ app_id, channel_id }) => Alignment.use((alignment) => alignment.finish(app_id, channel_id))
)

/** Finds channels whose alignment was lost. */
export const realignTask = task(
  "realign",
  Alignment.use((alignment) => alignment.nudge),
  { cron: "* * * * *" }
)

/** Deletes webhooks whose time is over. */
export const expireChannelsTask = task(
  "expire-channels",
  Channels.use((channels) => channels.expire),
  { cron: "* * * * *" }
)
