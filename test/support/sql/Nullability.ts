import { isNode, listOf, nodesOf, numberOf, type Tree, type TreeNode } from "./nodeTree.ts"

/** Whether a value can be null. `unknown` if that depends on the result of a function. */
export type Nullable = "yes" | "no" | "unknown"

export interface Catalog {
  /** Columns that may be null, as `table.number`. */
  readonly nullable: ReadonlySet<string>
  /** All tables. The columns of views are unknown. */
  readonly tables: ReadonlySet<number>
  /** Functions that return null whenever an argument is null. */
  readonly strict: ReadonlySet<number>
  /** The forms of `count`. */
  readonly counts: ReadonlySet<number>
}

/** A query, and the queries around it, the innermost first. */
type Scope = readonly [TreeNode, ...ReadonlyArray<TreeNode>]

const RELATION = 0
const SUBQUERY = 1
const JOIN = 2
const CTE = 6
const GROUP = 9
const [UPDATE, INSERT] = [2, 3]

const any = (values: ReadonlyArray<Nullable>): Nullable =>
  values.includes("yes") ? "yes" : values.includes("unknown") ? "unknown" : "no"
const all = (values: ReadonlyArray<Nullable>): Nullable =>
  values.includes("no") ? "no" : values.includes("unknown") ? "unknown" : "yes"

export const makeNullability = (catalog: Catalog) => {
  const isStrict = (fn: Tree | undefined) => catalog.strict.has(numberOf(fn))

  /** Columns for which this condition is not true if they are null, as `varno.varattno`. */
  const rejectedBy = function* (quals: Tree | undefined): Generator<string> {
    if (!isNode(quals)) return
    const { name, fields } = quals
    if (name === "BOOLEXPR" && fields["boolop"] === "and")
      for (const arg of listOf(fields["args"])) yield* rejectedBy(arg)
    else if (name === "NULLTEST" && fields["nulltesttype"] === "1") yield* varsIn(fields["arg"])
    // `<> all` of an empty array is true for null, too.
    else if ((name === "OPEXPR" || fields["useOr"] === "true") && isStrict(fields["opfuncid"]))
      for (const arg of listOf(fields["args"])) yield* varsIn(arg)
  }
  /** Columns of this query that make an expression null if they are null. */
  const varsIn = function* (expr: Tree | undefined): Generator<string> {
    if (!isNode(expr)) return
    const { name, fields } = expr
    if (name === "VAR" && fields["varlevelsup"] === "0")
      yield `${String(fields["varno"])}.${String(fields["varattno"])}`
    else if (name === "RELABELTYPE" || name === "COERCEVIAIO") yield* varsIn(fields["arg"])
    else if ((name === "OPEXPR" && isStrict(fields["opfuncid"])) || (name === "FUNCEXPR" && isStrict(fields["funcid"])))
      for (const arg of listOf(fields["args"])) yield* varsIn(arg)
  }
  const rejectedIn = function* (from: Tree | undefined): Generator<string> {
    if (!isNode(from)) return
    const { name, fields } = from
    if (name === "FROMEXPR") {
      yield* rejectedBy(fields["quals"])
      for (const item of listOf(fields["fromlist"])) yield* rejectedIn(item)
    } else if (name === "JOINEXPR" && fields["jointype"] === "0") {
      yield* rejectedBy(fields["quals"])
      yield* rejectedIn(fields["larg"])
      yield* rejectedIn(fields["rarg"])
    } else if (name === "JOINEXPR" && fields["jointype"] === "1") yield* rejectedIn(fields["larg"])
  }

  const outputOf = (query: TreeNode) =>
    nodesOf(query.fields[query.fields["commandType"] === "1" ? "targetList" : "returningList"])
  const output = (scope: Scope, number: number): Nullable => {
    const [query] = scope
    const operation = query.fields["setOperations"]
    if (isNode(operation)) return ofSetOperation(scope, operation, number)
    const entry = outputOf(query).filter((one) => one.fields["resjunk"] !== "true")[number - 1]
    return entry === undefined ? "unknown" : nullable(scope, entry.fields["expr"])
  }
  const ofSetOperation = (scope: Scope, side: Tree | undefined, number: number): Nullable => {
    if (!isNode(side)) return "unknown"
    if (side.name === "SETOPERATIONSTMT")
      return any([side.fields["larg"], side.fields["rarg"]].map((one) => ofSetOperation(scope, one, number)))
    const table = nodesOf(scope[0].fields["rtable"])[numberOf(side.fields["rtindex"]) - 1]
    const query = table?.fields["subquery"]
    return isNode(query) ? output([query, ...scope], number) : "unknown"
  }

  const column = (scope: Scope, table: TreeNode, number: number): Nullable => {
    const { fields } = table
    switch (numberOf(fields["rtekind"])) {
      case RELATION: {
        if (!catalog.tables.has(numberOf(fields["relid"]))) return "unknown"
        return catalog.nullable.has(`${String(fields["relid"])}.${number}`) ? "yes" : "no"
      }
      case SUBQUERY:
        return isNode(fields["subquery"]) ? output([fields["subquery"], ...scope], number) : "unknown"
      case JOIN:
        return nullable(scope, listOf(fields["joinaliasvars"])[number - 1])
      case GROUP:
        return nullable(scope, listOf(fields["groupexprs"])[number - 1])
      case CTE: {
        const around = scope.slice(numberOf(fields["ctelevelsup"])) as unknown as Scope
        const cte = nodesOf(around[0]?.fields["cteList"]).find((one) => one.fields["ctename"] === fields["ctename"])
        const query = cte?.fields["ctequery"]
        const isRecursive = cte?.fields["cterecursive"] === "true"
        return isNode(query) && !isRecursive ? output([query, ...around], number) : "unknown"
      }
      default:
        return "unknown"
    }
  }
  const variable = (scope: Scope, { fields }: TreeNode): Nullable => {
    const inner = scope.slice(numberOf(fields["varlevelsup"])) as unknown as Scope
    const [query] = inner
    if (query === undefined) return "unknown"
    const number = numberOf(fields["varattno"])
    const isWritten = fields["varno"] === query.fields["resultRelation"]
    const table = nodesOf(query.fields["rtable"])[numberOf(fields["varno"]) - 1]
    if (table === undefined || number <= 0) return "unknown"
    if (isWritten && column(inner, table, number) === "no") return "no"
    const command = numberOf(query.fields["commandType"])
    if (isWritten && (command === UPDATE || command === INSERT)) {
      const set = nodesOf(query.fields["targetList"]).find((entry) => numberOf(entry.fields["resno"]) === number)
      if (query.fields["onConflict"] != null && set !== undefined) return "unknown"
      // What is written comes from the earlier values.
      const before = { ...query, fields: { ...query.fields, resultRelation: "0" } }
      if (set !== undefined) return nullable([before, ...inner.slice(1)], set.fields["expr"])
    }
    const rejected = new Set(rejectedIn(query.fields["jointree"]))
    if (rejected.has(`${String(fields["varno"])}.${number}`)) return "no"
    if (listOf(fields["varnullingrels"]).length > 1) return "yes"
    return column(inner, table, number)
  }

  const ofArguments = (scope: Scope, args: Tree | undefined) => listOf(args).map((arg) => nullable(scope, arg))
  /** A strict function returns null for null. Whether it also does for other values is unknown. */
  const ofCall = (scope: Scope, fn: Tree | undefined, args: Tree | undefined): Nullable =>
    isStrict(fn) && any(ofArguments(scope, args)) === "yes" ? "yes" : "unknown"

  /** A nullable operand or branch may be reached only if it is not null. */
  const guarded = (value: Nullable): Nullable => (value === "yes" ? "unknown" : value)
  const ofBranch = (scope: Scope, expr: Tree | undefined): Nullable =>
    isNode(expr) && expr.name === "CONST" ? nullable(scope, expr) : guarded(nullable(scope, expr))

  const nullable = (scope: Scope, expr: Tree | undefined): Nullable => {
    if (!isNode(expr)) return "unknown"
    const { name, fields } = expr
    switch (name) {
      case "VAR":
        return variable(scope, expr)
      case "CONST":
        return fields["constisnull"] === "true" ? "yes" : "no"
      case "COALESCEEXPR":
      case "MINMAXEXPR":
        return all(ofArguments(scope, fields["args"]))
      case "RELABELTYPE":
      case "COERCEVIAIO":
        return nullable(scope, fields["arg"])
      case "FUNCEXPR":
        return ofCall(scope, fields["funcid"], fields["args"])
      case "OPEXPR":
        return ofCall(scope, fields["opfuncid"], fields["args"])
      // `a is null or a < b` is never null.
      case "BOOLEXPR":
        return guarded(any(ofArguments(scope, fields["args"])))
      case "NULLTEST":
      case "BOOLEANTEST":
      case "DISTINCTEXPR":
      case "ROWEXPR":
      case "ARRAYEXPR":
        return "no"
      case "NULLIFEXPR":
        return "yes"
      case "CASEEXPR":
        return any([
          fields["defresult"] === null ? "yes" : ofBranch(scope, fields["defresult"]),
          ...nodesOf(fields["args"]).map((when) => ofBranch(scope, when.fields["result"]))
        ])
      case "AGGREF": {
        if (catalog.counts.has(numberOf(fields["aggfnoid"]))) return "no"
        return listOf(scope[0].fields["groupClause"]).length > 0 && fields["aggfilter"] === null ? "unknown" : "yes"
      }
      case "SUBLINK":
        return ofSubquery(scope, fields)
      default:
        return "unknown"
    }
  }
  const ofSubquery = (scope: Scope, fields: TreeNode["fields"]): Nullable => {
    if (fields["subLinkType"] === "0" || fields["subLinkType"] === "6") return "no"
    const query = fields["subselect"]
    if (fields["subLinkType"] !== "4" || !isNode(query)) return "unknown"
    // Only an aggregate over all rows returns a row if there are none.
    const isOneRow = query.fields["hasAggs"] === "true" && listOf(query.fields["groupClause"]).length === 0
    return isOneRow ? output([query, ...scope], 1) : "yes"
  }

  /** For each column of a statement. */
  return (query: TreeNode, columns: number): ReadonlyArray<Nullable> =>
    Array.from({ length: columns }, (_, index) => output([query], index + 1))
}
