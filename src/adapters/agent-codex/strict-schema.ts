type Schema = Readonly<Record<string, unknown>>;

/** Keywords that a strict schema may use. Baton checks bounds and patterns itself. */
const KEPT = ['type', 'enum', 'const', 'description'] as const;

/**
 * Converts a JSON Schema to the form that the provider accepts for strict output: every object closed, every property
 * required, and no keyword that it rejects. An optional property becomes nullable. Null if the schema has no such form.
 */
export function toStrict(schema: unknown): Schema | null {
  const strict = convert(schema);
  return strict?.type === 'object' ? strict : null;
}

function convert(schema: unknown): Schema | null {
  if (!isSchema(schema)) return null;
  const kept = Object.fromEntries(KEPT.flatMap((word) => (word in schema ? [[word, schema[word]]] : [])));
  if (Array.isArray(schema.anyOf)) {
    const anyOf = schema.anyOf.map(convert);
    return anyOf.includes(null) ? null : { ...kept, anyOf };
  }
  if (schema.type === 'object') return convertObject(schema, kept);
  if (schema.type === 'array') {
    const items = convert(schema.items);
    return items && { ...kept, items };
  }
  return 'type' in kept || 'enum' in kept || 'const' in kept ? kept : null;
}

/** An optional property that has no strict form is left out. */
function convertObject(schema: Schema, kept: Schema): Schema | null {
  const properties: Record<string, Schema> = {};
  for (const [name, value] of Object.entries((schema.properties ?? {}) as Schema)) {
    const strict = convert(value);
    const optional = isOptional(schema, name);
    if (strict) properties[name] = optional ? { anyOf: [strict, { type: 'null' }] } : strict;
    else if (!optional) return null;
  }
  return { ...kept, properties, required: Object.keys(properties), additionalProperties: false };
}

/** Removes properties that are null only because a strict schema does not allow missing ones. */
export function withoutNulls(value: unknown, schema: unknown): unknown {
  if (!isSchema(schema) || value === null || typeof value !== 'object') return value;
  const branches = Array.isArray(schema.anyOf) ? (schema.anyOf as unknown[]) : [];
  if (branches.length > 0) return branches.reduce(withoutNulls, value);
  if (Array.isArray(value)) return value.map((item) => withoutNulls(item, schema.items));
  const properties = (schema.properties ?? {}) as Schema;
  const entries = Object.entries(value).filter(
    ([name, item]) => item !== null || !(name in properties) || !isOptional(schema, name),
  );
  return Object.fromEntries(entries.map(([name, item]) => [name, withoutNulls(item, properties[name])]));
}

function isOptional({ required }: Schema, name: string): boolean {
  return !(Array.isArray(required) && required.includes(name));
}

function isSchema(schema: unknown): schema is Schema {
  return typeof schema === 'object' && schema !== null;
}
