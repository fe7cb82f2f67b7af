import type { Operator } from "#src/accounts/Operator.ts"
import type { Html } from "#src/http/server/page.ts"

/** The entries of the navigation. */
export const SECTIONS = [
  { path: "/console", name: "Overview" },
  { path: "/console/bots", name: "Bots" },
  { path: "/console/conversations", name: "Conversations" },
  { path: "/console/deliveries", name: "Deliveries" },
  { path: "/console/characters", name: "Characters" },
  { path: "/console/apps", name: "Apps" },
  { path: "/console/accounts", name: "Accounts" },
  { path: "/console/system", name: "System" },
  { path: "/console/audit", name: "Audit" },
  { path: "/console/operators", name: "Operators" }
] as const
export type Section = (typeof SECTIONS)[number]["path"]

/** A request for a screen or an action. */
export interface Visit {
  readonly path: string
  readonly params: Readonly<Record<string, string>>
  readonly query: URLSearchParams
  readonly nowMs: number
  /** Only what is replaced whenever it changes is asked for, and not the page around it. */
  readonly isLive: boolean
  /** The address of this server for others. */
  readonly baseUrl: string
  readonly operator: Operator
  /** The CSRF token as a hidden field. Every form that posts contains it. */
  readonly csrf: Html
  /** Whether the operator may change things. A viewer may not. */
  readonly acts: boolean
  /** Whether the operator may also read content. */
  readonly owns: boolean
}

/** What one screen shows. */
export interface Screen {
  readonly section: Section
  readonly title: string
  /** The way back to the screen above. */
  readonly above?: { readonly url: string; readonly name: string }
  /** Beside the title: what can be done here. */
  readonly actions?: Html
  /** Filters and forms. They are not replaced while somebody types. */
  readonly lead?: Html
  /** Replaced whenever it changes. */
  readonly live?: Html
  readonly body?: Html
}
