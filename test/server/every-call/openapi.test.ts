import { Validator } from '@seriousme/openapi-schema-validator';
import { expect, it } from 'vitest';
import { handledCalls } from '../../../src/handlers.ts';
import { apiClient } from '../../support/api-client.ts';
import { sharedSite } from '../../support/shared-site.ts';

const site = await sharedSite();

it('the API description is a valid OpenAPI 3.1 document', async () => {
  const { body } = await apiClient(site).send('GET', '/api/openapi.json');
  const checked = await new Validator().validate(body);
  expect(checked.errors).toBeUndefined();
  expect(checked.valid).toBe(true);
  expect(body.openapi).toMatch(/^3\.1/);
});

it('the API description has every path of every call, each with a unique operation id', async () => {
  const { body } = await apiClient(site).send('GET', '/api/openapi.json');
  const operations = Object.values(body.paths as Record<string, Record<string, Operation>>).flatMap(
    (methods) => Object.values(methods),
  );
  const ways = handledCalls().flatMap(({ call }) => [call, ...(call.also ?? [])]);
  expect(operations).toHaveLength(ways.length);
  expect(new Set(operations.map((one) => one.operationId)).size).toBe(operations.length);
  for (const { method, path } of ways) {
    const operation = body.paths[path.replaceAll(/:(\w+)/g, '{$1}')]?.[method.toLowerCase()];
    expect(operation?.summary, `${method} ${path}`).toBeTypeOf('string');
    expect(Object.keys(operation.responses).join(), `${method} ${path}`).toMatch(/\b2\d\d/);
    const named = (operation.parameters ?? []).filter((one: { in: string }) => one.in === 'path');
    expect(named.map((one: { name: string }) => one.name).sort()).toEqual(
      [...path.matchAll(/:(\w+)/g)].map(([, name]) => name).sort(),
    );
  }
});

it('the API description has a page for people that loads nothing external', async () => {
  const { status, headers, text } = await apiClient(site).send('GET', '/api/docs');
  expect(status).toBe(200);
  expect(headers['content-security-policy']).toContain("default-src 'none'");
  for (const { call } of handledCalls()) expect(text).toContain(call.summary);
  expect(text).not.toMatch(/<script|https?:\/\//);
});

interface Operation {
  readonly operationId: string;
}
