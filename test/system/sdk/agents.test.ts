/**
 * Typical requests of coding agents, in the form of Claude Code and Gemini CLI: long tool lists
 * with closed schemas, cache markers, beta headers, signed thinking blocks, tool results with
 * images and errors. Both turns of a tool call run over an upstream of each dialect.
 */
import { describe, expect, test } from 'vitest';
import { setPrice } from '../../relay/tenant.ts';
import { sharedSite } from '../../support/shared-site.ts';
import type { SiteCall } from '../../support/site.ts';
import { callsOf, hubAnswerOf, wordsOf } from '../matrix/clients.ts';
import type { Json } from '../pitfalls/pitfall-site.ts';
import { BEHIND, PNG } from './endpoints.ts';

const site = await sharedSite();
for (const { name, type, model } of BEHIND) {
  const models = `via-${name}`;
  const model_mapping = JSON.stringify({ [models]: model });
  await setPrice(site, models, { ratio: '0.001', completion: '1' });
  await site.addChannel({ type, models, model_mapping });
}

function closed(properties: object, required: readonly string[]) {
  const $schema = 'http://json-schema.org/draft-07/schema#';
  return { $schema, type: 'object', properties, required, additionalProperties: false };
}

const SHELL = closed(
  {
    command: { type: 'string', description: 'What to run' },
    timeout: { type: 'number', exclusiveMinimum: 0, maximum: 600_000 },
  },
  ['command'],
);
const READ = closed(
  { path: { type: 'string' }, range: { type: 'array', items: { type: 'integer' }, maxItems: 2 } },
  ['path'],
);
const ISSUE = closed(
  { title: { type: 'string', minLength: 1 }, labels: { type: 'array', items: { type: 'string' } } },
  ['title'],
);

const USER = `user_${'0123456789abcdef'.repeat(4)}_account_1b4e28ba-2fa1-11d2-883f-0016d3cca427_session_6fa459ea-ee8a-3ca4-894e-db77e160355e`;
const MARK = { cache_control: { type: 'ephemeral' } };
const BETAS = 'claude-code-20250219,interleaved-thinking-2025-05-14,context-management-2025-06-27';

function claudeCode(model: string, messages: readonly object[], path = ''): SiteCall {
  return {
    path: `/v1/messages${path}?beta=true`,
    headers: {
      'anthropic-version': '2023-06-01',
      'anthropic-beta': BETAS,
      'user-agent': 'claude-cli/2.1.0 (external, cli)',
      'x-app': 'cli',
    },
    body: {
      model,
      max_tokens: 32_000,
      stream: true,
      temperature: 1,
      system: [
        { type: 'text', text: 'You work in a repository.', ...MARK },
        { type: 'text', text: 'The branch is main.\nNothing is changed.', ...MARK },
      ],
      metadata: { user_id: USER },
      thinking: { type: 'enabled', budget_tokens: 31_999 },
      context_management: { edits: [{ type: 'clear_thinking_20251015', keep: 'all' }] },
      tools: [
        { name: 'Bash', description: 'Runs a command.', input_schema: SHELL },
        { name: 'Read', description: 'Reads a file.', input_schema: READ },
        { name: 'mcp__tracker__create_issue', input_schema: ISSUE, ...MARK },
      ],
      messages,
    },
  };
}

const REMINDER = { type: 'text', text: '<system-reminder>\nBe careful.\n</system-reminder>' };
const REQUEST = {
  role: 'user',
  content: [REMINDER, { type: 'text', text: 'Use Bash and Read', ...MARK }],
};

function results(ids: readonly string[]): object {
  const picture = { type: 'image', source: { type: 'base64', media_type: 'image/png', data: PNG } };
  const [first, second] = ids.map((tool_use_id) => ({ type: 'tool_result', tool_use_id }));
  return {
    role: 'user',
    content: [
      { ...first, content: 'Exit code 1\nno such file', is_error: true },
      { ...second, content: [{ type: 'text', text: 'a picture:' }, picture], ...MARK },
    ],
  };
}

describe.each(BEHIND.map(({ name }) => name))('Claude Code over an upstream of %s', (upstream) => {
  const model = `via-${upstream}`;

  test('calls tools and continues with their results', async () => {
    const first = hubAnswerOf('anthropic', await site.call(claudeCode(model, [REQUEST])), true);
    expect(callsOf(first)).toEqual([
      ['Bash', { command: 'command', timeout: 1 }],
      ['Read', { path: 'path', range: [1] }],
    ]);
    expect(wordsOf(first, 'thinking')).toContain('The user wants an answer');
    const spoken = first.blocks.flatMap((block): object[] => {
      if (block.kind === 'thinking')
        return [
          { type: 'thinking', thinking: block.text, signature: block.signature?.value ?? '' },
        ];
      if (block.kind !== 'tool_call') return [];
      return [{ type: 'tool_use', id: block.id, name: block.name, input: JSON.parse(block.args) }];
    });
    const ids = first.blocks.flatMap((block) => (block.kind === 'tool_call' ? [block.id] : []));
    const history = [REQUEST, { role: 'assistant', content: spoken }, results(ids)];
    const second = hubAnswerOf('anthropic', await site.call(claudeCode(model, history)), true);
    expect(second.stop).toBe('end');
    expect(wordsOf(second, 'text')).not.toBe('');
  });

  test('sends requests in the format of the upstream', async () => {
    await site.call(claudeCode(model, [REQUEST]));
    const request = site.upstream.requests.at(-1);
    const sent = JSON.parse(request?.body ?? '') as Json;
    if (upstream === 'anthropic') {
      expect(request?.headers['anthropic-beta']).toBe(BETAS);
      const { body } = claudeCode('claude-sonnet-4-5', [REQUEST]);
      expect(sent).toEqual(body);
      return;
    }
    expect(request?.headers['anthropic-beta']).toBe(undefined);
    const text = JSON.stringify(sent);
    expect(text).not.toMatch(/cache_control|context_management|budget_tokens|metadata/);
    if (upstream === 'responses') {
      expect(request?.path).toBe('/v1/responses');
      expect(sent).toMatchObject({ store: false, user: expect.stringMatching(/^.{1,64}$/) });
      expect(sent.tools.map(({ parameters }: Json) => parameters)).toEqual([SHELL, READ, ISSUE]);
      return;
    }
    if (upstream === 'chat') {
      expect(sent.user).toMatch(/^.{1,64}$/);
      expect(sent.tools.map(({ function: { parameters } }: Json) => parameters)).toEqual([
        SHELL,
        READ,
        ISSUE,
      ]);
    } else {
      const [{ functionDeclarations: declared }] = sent.tools;
      expect(declared[0].parametersJsonSchema).toEqual(SHELL);
      expect(sent.systemInstruction.parts).toHaveLength(2);
    }
  });

  test('can count tokens without charge or upstream call', async () => {
    const answer = await site.call(claudeCode(model, [REQUEST], '/count_tokens'));
    expect(JSON.parse(answer.text)).toEqual({ input_tokens: expect.any(Number) });
    expect(JSON.parse(answer.text).input_tokens).toBeGreaterThan(50);
    expect(site.upstream.requests).toEqual([]);
  });
});

function geminiCli(model: string, contents: readonly object[]): SiteCall {
  return {
    path: `/v1beta/models/${model}:streamGenerateContent?alt=sse`,
    headers: {
      'user-agent': 'GeminiCLI/0.20.0 (linux; x64)',
      'x-goog-api-client': 'google-genai-sdk/1.30.0 gl-node/v22.0.0',
    },
    body: {
      contents,
      systemInstruction: { role: 'user', parts: [{ text: 'You work in a repository.' }] },
      tools: [
        {
          functionDeclarations: [
            { name: 'run_shell_command', description: 'Runs it.', parametersJsonSchema: SHELL },
            { name: 'read_file', description: 'Reads it.', parametersJsonSchema: READ },
          ],
        },
      ],
      generationConfig: {
        temperature: 1,
        topP: 0.95,
        topK: 64,
        thinkingConfig: { includeThoughts: true, thinkingBudget: 8192 },
      },
    },
  };
}

const CONTEXT = [
  { role: 'user', parts: [{ text: 'The folder is /work.' }] },
  { role: 'model', parts: [{ text: 'I see.' }] },
  { role: 'user', parts: [{ text: 'Use run_shell_command and read_file' }] },
];

describe.each(BEHIND.map(({ name }) => name))('Gemini CLI over an upstream of %s', (upstream) => {
  const model = `via-${upstream}`;

  test('calls tools and continues with their results', async () => {
    const answer = await site.call(geminiCli(model, CONTEXT));
    const first = hubAnswerOf('gemini', answer, true);
    expect(callsOf(first).map((call: Json) => call[0])).toEqual(['run_shell_command', 'read_file']);
    const frames = answer.text.split(/\r?\n/).filter((line) => line.startsWith('data: '));
    const parts = frames.flatMap((line) => JSON.parse(line.slice(6)).candidates[0].content.parts);
    const calls = parts.flatMap(({ functionCall }: Json) => functionCall ?? []);
    const responses = calls.map(({ id, name }: Json) => ({
      functionResponse: { ...(id ? { id } : {}), name, response: { output: 'done' } },
    }));
    const history = [
      ...CONTEXT,
      { role: 'model', parts: parts.filter(({ text }: Json) => text !== '') },
      { role: 'user', parts: responses },
    ];
    const second = hubAnswerOf('gemini', await site.call(geminiCli(model, history)), true);
    expect(second.stop).toBe('end');
    expect(wordsOf(second, 'text')).toContain('The tool answered');
  });

  test('can count tokens without charge or upstream call', async () => {
    const { body } = geminiCli(model, CONTEXT);
    const generateContentRequest = { model: `models/${model}`, ...(body as object) }; // an object, above
    const path = `/v1beta/models/${model}:countTokens`;
    const answer = await site.call({ path, body: { generateContentRequest } });
    expect(JSON.parse(answer.text).totalTokens).toBeGreaterThan(30);
    expect(site.upstream.requests).toEqual([]);
  });
});
