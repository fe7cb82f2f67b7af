import type { PublicContent } from "./publicContent.ts"
import type { explorer, openApi } from "./referenceThread.ts"
import { runOnThread } from "./runOnThread.ts"

type Tasks = { readonly openApi: typeof openApi; readonly explorer: typeof explorer }

const bufferOf = ({ buffer, byteOffset, byteLength }: Uint8Array): Buffer => Buffer.from(buffer, byteOffset, byteLength)

/**
 * Generates a document on a separate thread. Loading the libraries and describing every route would block all requests
 * for most of a second.
 */
export const prepareReference = async <Name extends keyof Tasks>(
  name: Name,
  task: Parameters<Tasks[Name]>[0]
): Promise<PublicContent> => {
  const thread = new URL("./referenceThread.ts", import.meta.url)
  const content = await runOnThread<PublicContent>(thread, name, task)
  const { br, gzip, identity } = content.encodings
  // A buffer from another thread arrives as a plain Uint8Array.
  return { ...content, encodings: { br: bufferOf(br), gzip: bufferOf(gzip), identity: bufferOf(identity) } }
}
