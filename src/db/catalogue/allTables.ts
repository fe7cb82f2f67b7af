import { tables as billing } from "#src/db/billing/tables.ts"
import { tables as character } from "#src/db/character/tables.ts"
import { tables as conversation } from "#src/db/conversation/tables.ts"
import { tables as crashes } from "#src/db/crashes/tables.ts"
import { tables as delivery } from "#src/db/delivery/tables.ts"
import { tables as evals } from "#src/db/evals/tables.ts"
import { tables as memory } from "#src/db/memory/tables.ts"
import { tables as operators } from "#src/db/operators/tables.ts"
import { tables as postgres } from "#src/db/postgres/tables.ts"
import type { Table } from "#src/db/postgres/catalogue/Table.ts"
import { tables as privacy } from "#src/db/privacy/tables.ts"
import { tables as proactive } from "#src/db/proactive/tables.ts"
import { tables as research } from "#src/db/research/tables.ts"
import { tables as telegram } from "#src/db/telegram/tables.ts"
import { tables as tenancy } from "#src/db/tenancy/tables.ts"
import { tables as world } from "#src/db/world/tables.ts"

/**
 * Every table, each declared in its domain. The order is that in which rows are deleted: what refers to others first,
 * and within a session its relationship, its turns and its lanes, as locks are taken. Copies go the other way.
 */
export const allTables: ReadonlyArray<Table> = [
  ...telegram,
  ...evals,
  ...research,
  ...proactive,
  ...memory,
  ...conversation,
  ...delivery,
  ...privacy,
  ...billing,
  ...world,
  ...character,
  ...crashes,
  ...operators,
  ...tenancy,
  ...postgres
]
