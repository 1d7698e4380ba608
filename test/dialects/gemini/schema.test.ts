import fc from 'fast-check';
import { expect, test } from 'vitest';
import { cleanSchema, jsonSchemaOf } from '../../../src/dialects/gemini/schema.ts';

test.each([
  [
    'what Google does not know is dropped',
    {
      $schema: 'x',
      $id: 'y',
      type: 'object',
      additionalProperties: false,
      properties: {
        a: { type: 'integer', exclusiveMinimum: 0, multipleOf: 2, readOnly: true, format: 'int32' },
      },
      required: ['a', 'gone'],
    },
    { type: 'object', properties: { a: { type: 'integer', format: 'int32' } }, required: ['a'] },
  ],
  ['texts keep two formats', { type: 'string', format: 'uri' }, { type: 'string' }],
  [
    'and these are they',
    { type: 'string', format: 'date-time' },
    { type: 'string', format: 'date-time' },
  ],
  ['null among types is a mark', { type: ['string', 'null'] }, { type: 'string', nullable: true }],
  [
    'other types are alternatives',
    { type: ['string', 'number'], description: 'D' },
    {
      description: 'D',
      anyOf: [
        { type: 'string', description: 'D' },
        { type: 'number', description: 'D' },
      ],
    },
  ],
  ['a constant is a list of one', { const: 'x' }, { type: 'string', enum: ['x'] }],
  ['numbers cannot be listed', { type: 'integer', enum: [1, 2] }, { type: 'integer' }],
  [
    'oneOf is anyOf, and an alternative to null none',
    { oneOf: [{ type: 'string' }, { type: 'null' }] },
    { type: 'string', nullable: true },
  ],
  [
    'allOf is said at once',
    {
      allOf: [
        { type: 'object', properties: { a: { type: 'string' } }, required: ['a'] },
        { properties: { b: { type: 'string' } }, required: ['b'] },
      ],
    },
    {
      type: 'object',
      properties: { a: { type: 'string' }, b: { type: 'string' } },
      required: ['a', 'b'],
    },
  ],
  ['a list says of what', { type: 'array' }, { type: 'array', items: { type: 'string' } }],
  [
    'references are replaced',
    {
      type: 'object',
      properties: { a: { $ref: '#/$defs/A', description: 'own' } },
      $defs: { A: { type: 'string', description: 'D' } },
    },
    { type: 'object', properties: { a: { type: 'string', description: 'own' } } },
  ],
])('%s', (_name, schema, expected) => {
  expect(cleanSchema(schema)).toEqual(expected);
});

test('a recursive schema terminates', () => {
  const node = { type: 'object', properties: { next: { $ref: '#/$defs/node' } } };
  const cleaned = cleanSchema({ $ref: '#/$defs/node', $defs: { node } });
  expect(JSON.stringify(cleaned).length).toBeLessThan(5000);
  expect(cleanSchema({ $ref: '#/$defs/a', $defs: { a: { $ref: '#/$defs/a' } } })).toEqual({});
});

test('no schema makes it fail', () => {
  fc.assert(
    fc.property(
      fc.dictionary(
        fc.constantFrom(
          'type',
          'properties',
          'items',
          'anyOf',
          'allOf',
          'enum',
          '$ref',
          'required',
          'format',
        ),
        fc.jsonValue(),
      ),
      (schema) => {
        expect(typeof cleanSchema(schema)).toBe('object');
        expect(typeof jsonSchemaOf(schema)).toBe('object');
      },
    ),
  );
});

const plain = fc.letrec((tie) => ({
  schema: fc.oneof(
    { depthSize: 'small' },
    fc.record({ type: fc.constantFrom('string', 'number', 'boolean'), description: fc.string() }),
    fc.record({ type: fc.constant('array'), items: tie('schema') }),
    fc.record({
      type: fc.constant('object'),
      properties: fc.dictionary(fc.constantFrom('a', 'b'), tie('schema'), { minKeys: 1 }),
    }),
  ),
})).schema;

test('a plain schema stays unchanged when cleaned', () => {
  fc.assert(
    fc.property(plain, (schema) => {
      expect(cleanSchema(schema as Record<string, unknown>)).toEqual(schema);
    }),
  );
});
