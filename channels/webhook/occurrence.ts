/** An event of the log in the form of the MCP Events extension. */
export const occurrence = (event: string): string => {
  const { id, type, created_at } = JSON.parse(event) as Record<string, string>
  const head = JSON.stringify({ eventId: id, name: type, timestamp: created_at })
  return `${head.slice(0, -1)},"data":${event}}`
}
