import { Client, StreamableHTTPClientTransport, type VersionNegotiationMode } from "@modelcontextprotocol/client"
import type { TestApp } from "#test/support/TestApp.ts"

/** The official client, connected to /mcp over HTTP. */
export const connectMcp = async (
  app: TestApp,
  {
    write = false,
    mode = "auto",
    extensions = {}
  }: {
    readonly write?: boolean
    readonly mode?: VersionNegotiationMode
    /** Those that the client says it knows. */
    readonly extensions?: Record<string, {}>
  } = {}
): Promise<Client> => {
  const client = new Client(
    { name: "test", version: "1.0.0" },
    { versionNegotiation: { mode }, capabilities: { extensions } }
  )
  await client.connect(
    new StreamableHTTPClientTransport(new URL(`${app.baseUrl}/mcp${write ? "?write=1" : ""}`), {
      requestInit: { headers: { authorization: `Bearer ${app.key}` } }
    })
  )
  return client
}

/** The result of a tool: its structured content, or the error in the contract's form. */
export const callTool = async (client: Client, name: string, args: Record<string, unknown> = {}): Promise<any> => {
  const { isError, structuredContent, content } = (await client.callTool({ name, arguments: args })) as any
  if (isError !== true) return structuredContent
  const [{ text }] = content
  try {
    return JSON.parse(text)
  } catch {
    return { invalid: text }
  }
}
