import type { Snippet } from '../../components/content/SnippetTabs.tsx';

/** Code for a first call of a model, with a placeholder for the key. */
export function snippetsFor(url: string, model: string): readonly Snippet[] {
  return [
    {
      key: 'curl',
      name: 'curl',
      code: `curl ${url}/v1/chat/completions \\
  -H "Authorization: Bearer $API_KEY" \\
  -H "Content-Type: application/json" \\
  -d '{
    "model": ${JSON.stringify(model)},
    "messages": [{"role": "user", "content": "Hello"}]
  }'`,
    },
    {
      key: 'python',
      name: 'Python',
      code: `import os

from openai import OpenAI

client = OpenAI(base_url="${url}/v1", api_key=os.environ["API_KEY"])
answer = client.chat.completions.create(
    model=${JSON.stringify(model)},
    messages=[{"role": "user", "content": "Hello"}],
)
print(answer.choices[0].message.content)`,
    },
  ];
}
