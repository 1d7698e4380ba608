/** Configuration snippets that point clients of supported endpoints at this gateway. */
import { CLIENTS, type Client, clientSnippet } from '../domain/coding-clients.ts';

const PLAIN = ['curl', 'python', 'node', 'env'] as const;
export const SNIPPETS = [...PLAIN, ...CLIENTS];

interface Facts {
  /** Without `/v1` and without a trailing slash. */
  readonly url: string;
  readonly key: string;
  readonly model: string;
}

const TEXTS: Readonly<Record<(typeof PLAIN)[number], (facts: Facts) => string>> = {
  curl: ({ url, key, model }) => `curl ${url}/v1/chat/completions \\
  -H "Authorization: Bearer ${key}" \\
  -H "Content-Type: application/json" \\
  -d '{"model": "${model}", "messages": [{"role": "user", "content": "Hello"}]}'
`,
  python: ({ url, key, model }) => `from openai import OpenAI

client = OpenAI(base_url="${url}/v1", api_key="${key}")
answer = client.chat.completions.create(
    model="${model}",
    messages=[{"role": "user", "content": "Hello"}],
)
print(answer.choices[0].message.content)
`,
  node: ({ url, key, model }) => `import OpenAI from 'openai';

const client = new OpenAI({ baseURL: '${url}/v1', apiKey: '${key}' });
const answer = await client.chat.completions.create({
  model: '${model}',
  messages: [{ role: 'user', content: 'Hello' }],
});
console.log(answer.choices[0].message.content);
`,
  env: ({ url, key }) => `OPENAI_BASE_URL=${url}/v1
OPENAI_API_KEY=${key}
`,
};

export function snippetOf(form: (typeof PLAIN)[number] | Client, facts: Facts): string {
  const plain = PLAIN.find((name) => name === form);
  if (plain !== undefined) return TEXTS[plain](facts);
  // What is not plain is a client.
  return `${clientSnippet(form as Client, { ...facts, smallModel: facts.model })}\n`;
}

/** URL at which this machine reaches a server that listens on `host`. */
export function localUrl(host: string, port: number): string {
  const isEverywhere = host === '0.0.0.0' || host === '::';
  const name = isEverywhere ? '127.0.0.1' : host;
  return `http://${name.includes(':') ? `[${name}]` : name}:${port}`;
}
