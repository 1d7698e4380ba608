/** Configuration and code for common clients, with address, key and model filled in. */
import {
  CLIENTS,
  clientSnippet,
  clientTitle,
  fittingModel,
} from '../../../../../src/domain/coding-clients.ts';
import type { Snippet } from '../../../components/content/SnippetTabs.tsx';

export interface SnippetFacts {
  /** The gateway's public address, without `/v1` and trailing slash. */
  readonly url: string;
  readonly key: string;
  readonly model: string;
}

interface Row {
  readonly key: string;
  readonly name: string;
  readonly code: (facts: SnippetFacts) => string;
}

const ROWS: readonly Row[] = [
  {
    key: 'curl',
    name: 'curl',
    code: ({ url, key, model }) => `curl ${url}/v1/chat/completions \\
  -H "Authorization: Bearer ${key}" \\
  -H "Content-Type: application/json" \\
  -d '{
    "model": "${model}",
    "messages": [{"role": "user", "content": "Hello"}]
  }'`,
  },
  {
    key: 'python',
    name: 'Python',
    code: ({ url, key, model }) => `from openai import OpenAI

client = OpenAI(
    base_url="${url}/v1",
    api_key="${key}",
)
answer = client.chat.completions.create(
    model="${model}",
    messages=[{"role": "user", "content": "Hello"}],
)
print(answer.choices[0].message.content)`,
  },
  {
    key: 'node',
    name: 'Node.js',
    code: ({ url, key, model }) => `import OpenAI from 'openai';

const client = new OpenAI({
  baseURL: '${url}/v1',
  apiKey: '${key}',
});
const answer = await client.chat.completions.create({
  model: '${model}',
  messages: [{ role: 'user', content: 'Hello' }],
});
console.log(answer.choices[0].message.content);`,
  },
  ...CLIENTS.map((client) => ({
    key: client,
    name: clientTitle(client),
    code: (facts: SnippetFacts) => clientSnippet(client, { ...facts, smallModel: facts.model }),
  })),
  {
    key: 'env',
    name: '.env',
    code: ({ url, key, model }) => `OPENAI_BASE_URL=${url}/v1
OPENAI_API_KEY=${key}
OPENAI_MODEL=${model}`,
  },
];

export function snippetsFor(facts: SnippetFacts): Snippet[] {
  return ROWS.map(({ key, name, code }) => ({
    key,
    name,
    code: code(facts),
  }));
}

/** Used in a snippet if no model is known. */
export const ANY_MODEL = 'gpt-4o-mini';

/** A chat model for the test call: one the token may call, preferably the default. */
export function firstModel(models: readonly string[]): string | undefined {
  return models.find((model) => model === ANY_MODEL) ?? fittingModel(undefined, models);
}
