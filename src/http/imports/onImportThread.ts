import { ParseWorkers, type ThreadWork } from "#src/http/server/body/ParseWorkers.ts"
import { importRefused } from "./importErrors.ts"
import type { review, stage } from "./importThread.ts"
import type { reviewBundle } from "./reviewBundle.ts"
import type { StagedImport } from "./stageImport.ts"

const refuse: ThreadWork["refuse"] = (why) =>
  why === "too_long"
    ? importRefused("unreadable", "The file takes more than 10 seconds of processor time to read.")
    : importRefused("too_large", "The file takes too much memory to read.")
const work = (name: keyof { readonly stage: typeof stage; readonly review: typeof review }): ThreadWork => ({
  module: new URL("./importThread.ts", import.meta.url).href,
  name,
  refuse
})

/** The body of POST /v1/imports, read and looked through. The bytes are moved. */
export const stageOnThread = (subject: string, bytes: Buffer) =>
  ParseWorkers.use((workers) => workers.read<StagedImport>(subject, work("stage"), bytes))

export const reviewOnThread = (subject: string, ...args: Parameters<typeof reviewBundle>) =>
  ParseWorkers.use((workers) => workers.run<Awaited<ReturnType<typeof reviewBundle>>>(subject, work("review"), args))
