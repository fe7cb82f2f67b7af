import { Piscina } from "piscina"
import type { PublicContent } from "./publicContent.ts"
import type { docs, openApi } from "./referenceThread.ts"

type Tasks = { readonly openApi: typeof openApi; readonly docs: typeof docs }

const bufferOf = ({ buffer, byteOffset, byteLength }: Uint8Array): Buffer => Buffer.from(buffer, byteOffset, byteLength)

/**
 * Generates a reference page on a separate thread. Loading the libraries and describing every route would block all
 * requests for most of a second.
 */
export const prepareReference = async <Name extends keyof Tasks>(
  name: Name,
  task: Parameters<Tasks[Name]>[0]
): Promise<PublicContent> => {
  const thread = new Piscina({
    filename: new URL("./referenceThread.ts", import.meta.url).href,
    minThreads: 0,
    maxThreads: 1,
    recordTiming: false
  })
  try {
    const content: PublicContent = await thread.run(task, { name })
    const { br, gzip, identity } = content.encodings
    // A buffer from another thread arrives as a plain Uint8Array.
    return { ...content, encodings: { br: bufferOf(br), gzip: bufferOf(gzip), identity: bufferOf(identity) } }
  } finally {
    await thread.destroy()
  }
}
