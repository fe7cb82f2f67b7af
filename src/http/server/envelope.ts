/** Version of the success envelope (contract 2.1, 9.2). */
export const SCHEMA_VERSION = "2026-11-21"

export interface NextAction {
  readonly command: string
  readonly description: string
}

/** The result of a handler. `data` may be JSON text that is already encoded. */
export interface Success {
  readonly data: object
  readonly nextActions: ReadonlyArray<NextAction>
  /** Further fields of `data` for this response only. They are not stored for replays. */
  readonly shownOnce?: object
  /** Known fields of the body that had no effect. */
  readonly ignored?: ReadonlyArray<string>
}

export const success = (data: object, nextActions: ReadonlyArray<NextAction> = []): Success => ({ data, nextActions })

/** The envelope around JSON text that is already encoded. */
export const encodedEnvelope = (data: string, nextActions: ReadonlyArray<NextAction>): string =>
  `{"schema_version":"${SCHEMA_VERSION}","data":${data},"next_actions":${JSON.stringify(nextActions)}}`

/** Fields of a body that its route does not know, and the names that were probably meant. */
export interface Unknown {
  readonly names: ReadonlyArray<string>
  readonly meant: Readonly<Record<string, string>>
}

/** What an answer says of fields that had no effect. */
export const noteIgnored = ({ names, meant }: Unknown, known: ReadonlyArray<string> = []): object => ({
  ...(names.length + known.length > 0 && { ignored_fields: [...known, ...names] }),
  ...(Object.keys(meant).length > 0 && { did_you_mean: meant })
})

export const envelope = ({ data, nextActions, ignored, shownOnce }: Success, unknown: Unknown): string =>
  encodedEnvelope(JSON.stringify({ ...data, ...shownOnce, ...noteIgnored(unknown, ignored) }), nextActions)

const command =
  (variable: string) =>
  (baseUrl: string, method: "GET" | "POST" | "PUT" | "PATCH" | "DELETE", path: string, body?: object): string =>
    [
      "curl -s",
      method === "GET" ? "" : `-X ${method}`,
      `-H "authorization: Bearer $${variable}"`,
      body === undefined
        ? ""
        : `-H "content-type: application/json" -d '${JSON.stringify(body).replaceAll("'", "'\\''")}'`,
      `"${baseUrl}${path}"`
    ]
      .filter((part) => part !== "")
      .join(" ")

/** Commands that work when pasted into a shell that has the key in TROUPE_KEY. */
export const curl = command("TROUPE_KEY")
/** The same for the account plane, with the token in TROUPE_ACCOUNT_TOKEN. */
export const accountCurl = command("TROUPE_ACCOUNT_TOKEN")
