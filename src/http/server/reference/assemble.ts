import * as z from "zod"
import { Created, NextAction, Written } from "#src/http/server/schemas/answers.ts"
import { Components, type Json } from "./components.ts"
import { envelopeSchemas, inEnvelope } from "./envelopes.ts"
import { type NamedResponse, errorHeaders, errorSchemas } from "./errorResponses.ts"
import { eventComponents } from "./eventComponents.ts"
import { EXAMPLES } from "./examples.ts"
import { nameRepeated } from "./nameRepeated.ts"
import { pascal } from "./pascal.ts"
import { answerName, type NamedPart, schemasIn, share } from "./share.ts"

type Operation = Json & {
  readonly parameters?: ReadonlyArray<Json>
  readonly requestBody?: Json
  readonly responses: Readonly<Record<string, Json>>
}
type Media = Readonly<Record<string, { readonly schema: Json }>>

/** `SessionId` for a part of the path, `LimitQuery` for others. */
const nameOf = ({ in: place, name }: Json): string =>
  pascal(place === "path" ? String(name) : `${String(name)} ${String(place)}`)

/** The example of a body: its own, or those of its fields if every required one has one. */
const exampleOf = (schema: Json): unknown => {
  const {
    examples,
    properties,
    required = []
  } = schema as {
    readonly examples?: ReadonlyArray<unknown>
    readonly properties?: Readonly<Record<string, { readonly examples?: ReadonlyArray<unknown> }>>
    readonly required?: ReadonlyArray<string>
  }
  if (examples !== undefined) return examples[0]
  const known = Object.entries(properties ?? {}).flatMap(([name, field]) =>
    field.examples === undefined ? [] : [[name, field.examples[0]] as const]
  )
  const isComplete = required.every((name) => known.some(([other]) => other === name))
  return isComplete && known.length > 0 ? Object.fromEntries(known) : undefined
}

const mapMedia = ({ content = {}, ...rest }: Json, change: (schema: Json) => Json, given?: object): Json => ({
  ...rest,
  content: Object.fromEntries(
    Object.entries(content as Media).map(([type, { schema, ...more }]) => {
      // An example of a whole body belongs to its media type, where every tool looks for it.
      const { examples: _, ...plain } = schema
      const example = given ?? exampleOf(schema)
      return [type, { ...more, schema: change(plain), ...(example !== undefined && { example }) }]
    })
  )
})

type Operations = Readonly<Record<string, Operation>>

const mapValues = <A, B>(values: Readonly<Record<string, A>>, change: (value: A, key: string) => B) =>
  Object.fromEntries(Object.entries(values).map(([key, value]) => [key, change(value, key)]))

/** The operations of a document by method and path. */
const operationsOf = (paths: Readonly<Record<string, Operations>>): Operations =>
  Object.fromEntries(
    Object.entries(paths).flatMap(([path, methods]) =>
      Object.entries(methods).map(([method, operation]) => [`${method} ${path}`, operation])
    )
  )

/** The operations of a path. What several have in common of their parameters is said once, for the path. */
const pathItem = (methods: Operations): Json => {
  const [first = [], ...others] = Object.values(methods).map(({ parameters = [] }) =>
    parameters.map((one) => JSON.stringify(one))
  )
  if (others.length === 0) return methods
  const shared = new Set(first.filter((one) => others.every((each) => each.includes(one))))
  if (shared.size === 0) return methods
  return {
    parameters: [...shared].map((one) => JSON.parse(one) as Json),
    ...mapValues(methods, ({ parameters = [], ...operation }) => {
      const own = parameters.filter((one) => !shared.has(JSON.stringify(one)))
      return { ...(own.length > 0 && { parameters: own }), ...operation }
    })
  }
}

const pathsOf = (operations: Operations): Json => {
  const paths: Record<string, Record<string, Operation>> = {}
  for (const [name, operation] of Object.entries(operations)) {
    const [method = "", path = ""] = name.split(" ")
    paths[path] = { ...paths[path], [method]: operation }
  }
  return mapValues(paths, pathItem)
}

/**
 * The explorer fills in each parameter that has an example or a list of values, and sends it unless its example is off.
 * An optional one is off until somebody chooses a value; a default changes nothing.
 */
const exampleOfOptional = (example: unknown, schema: Json): Json => {
  const value = example ?? (schema["enum"] as ReadonlyArray<unknown> | undefined)?.[0]
  return value === undefined || schema["default"] !== undefined
    ? {}
    : { examples: { default: { value, "x-disabled": true } } }
}

/** The operations with references to the schemas that have a name. What responses contain is named first. */
const withSchemas = (operations: Operations, components: Components): Operations => {
  const answered = mapValues(operations, ({ responses, ...operation }) => ({
    ...operation,
    responses: mapValues(responses, (response) => mapMedia(response, (schema) => components.refer(schema, false)))
  }))
  return mapValues(answered, ({ parameters, requestBody, ...operation }: Operation) => ({
    ...operation,
    ...(parameters !== undefined && {
      parameters: parameters.map(({ schema, required, example, ...parameter }) => ({
        ...parameter,
        ...(required !== true
          ? exampleOfOptional(example, schema as Json)
          : { required, ...(example !== undefined && { example }) }),
        schema: components.refer(schema as Json, true)
      }))
    }),
    ...(requestBody !== undefined && {
      requestBody: mapMedia(
        // Its description is that of its schema.
        { content: requestBody["content"], required: requestBody["required"] },
        (schema) => components.refer(schema, true),
        EXAMPLES[String(operation["operationId"])]
      )
    })
  }))
}

/** The operations with references to the parts that several of them have, and these parts. */
const shareParts = (operations: Operations, errors: ReadonlyMap<string, ReadonlyArray<NamedResponse>>) => {
  const partsOf = (parts: (operation: Operation, name: string) => ReadonlyArray<NamedPart>) =>
    Object.entries(operations).flatMap(([name, operation]) => parts(operation, name))
  const parameters = share(
    "parameters",
    partsOf((operation) => (operation.parameters ?? []).map((one) => [nameOf(one), one]))
  )
  const requestBodies = share(
    "requestBodies",
    partsOf(({ requestBody }) => (requestBody === undefined ? [] : [[schemasIn(requestBody), requestBody]]))
  )
  const responses = share(
    "responses",
    partsOf((operation, name) =>
      Object.entries(operation.responses).map(([status, response]) => [
        errors.get(name)?.find((error) => String(error.status) === status)?.name ?? answerName(response),
        response
      ])
    )
  )
  const refer = ({ parameters: given, requestBody, ...operation }: Operation): Operation => ({
    ...operation,
    ...(given !== undefined && { parameters: given.map(parameters.refer) }),
    ...(requestBody !== undefined && { requestBody: requestBodies.refer(requestBody) }),
    responses: mapValues(operation.responses, responses.refer)
  })
  return {
    operations: mapValues(operations, refer),
    components: {
      parameters: parameters.components,
      requestBodies: requestBodies.components,
      responses: responses.components
    }
  }
}

/**
 * The document from what fastify-swagger makes of the routes: schemas, parameters, bodies and responses that occur more
 * than once are components with a name, and each operation has the errors that it can answer.
 */
export const assemble = (document: Json, errors: ReadonlyMap<string, ReadonlyArray<NamedResponse>>): Json => {
  const components = new Components()
  for (const [title, schema] of Object.entries({ NextAction, Created, Written }))
    components.refer({ ...(z.toJSONSchema(schema, { io: "input" }) as Json), title }, false)
  const given = operationsOf(document["paths"] as Readonly<Record<string, Operations>>)
  const referred = withSchemas(given, components)
  const complete = mapValues(referred, (operation, name) => ({
    ...operation,
    responses: {
      ...mapValues(components.factor(operation.responses) as Operation["responses"], (response) =>
        mapMedia(response, inEnvelope)
      ),
      ...Object.fromEntries((errors.get(name) ?? []).map(({ status, response }) => [String(status), response]))
    }
  }))
  const event = components.schemas.get("Event") ?? {}
  const schemas = {
    ...Object.fromEntries([...components.schemas].map(([name, schema]) => [name, components.factor(schema, name)])),
    ...eventComponents(event, (schema) => components.refer(schema, false)),
    ...envelopeSchemas,
    ...errorSchemas()
  }
  const repeated = nameRepeated(schemas, complete)
  const shared = shareParts(repeated.operations, errors)
  return {
    ...document,
    paths: pathsOf(shared.operations),
    components: {
      ...(document["components"] as Json),
      schemas: repeated.schemas,
      headers: errorHeaders,
      ...shared.components
    }
  }
}
