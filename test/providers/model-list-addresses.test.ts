/** The model list address of every provider: one row per type. */
import { expect, test } from 'vitest';
import { providerFacts } from '../../src/providers/provider-facts.ts';
import { modelListRequests, offersEndpoint } from '../../src/providers/requests/openai-request.ts';
import { PROVIDERS, providerOf } from '../../src/providers/rows/provider-rows.ts';
import { variantOf } from '../../src/providers/rows/provider-variants.ts';

const ADDRESSES: Readonly<Record<number, string | readonly string[]>> = {
  1: 'https://api.openai.com/v1/models',
  3: 'https://own.example/openai/v1/models',
  4: 'http://localhost:11434/v1/models',
  6: 'https://api.openaimax.com/v1/models',
  7: 'https://api.ohmygpt.com/v1/models',
  9: 'https://api.caipacity.com/v1/models',
  10: 'https://api.aiproxy.io/v1/models',
  12: 'https://api.api2gpt.com/v1/models',
  13: 'https://api.aigc2d.com/v1/models',
  14: 'https://api.anthropic.com/v1/models?limit=1000',
  16: 'https://open.bigmodel.cn/api/paas/v4/models',
  17: 'https://dashscope.aliyuncs.com/compatible-mode/v1/models',
  19: 'https://api.360.cn/v1/models',
  20: 'https://openrouter.ai/api/v1/models',
  23: 'https://api.hunyuan.cloud.tencent.com/v1/models',
  24: 'https://generativelanguage.googleapis.com/v1beta/models?pageSize=1000',
  25: 'https://api.moonshot.cn/v1/models',
  26: 'https://open.bigmodel.cn/api/paas/v4/models',
  31: 'https://api.lingyiwanwu.com/v1/models',
  33: [
    'https://bedrock.eu-west-1.amazonaws.com/foundation-models?byInferenceType=ON_DEMAND&byOutputModality=TEXT',
    'https://bedrock.eu-west-1.amazonaws.com/inference-profiles?maxResults=1000&type=SYSTEM_DEFINED',
  ],
  34: 'https://api.cohere.ai/v1/models?page_size=1000',
  35: 'https://api.minimaxi.com/v1/models',
  39: 'https://api.cloudflare.com/client/v4/accounts/acct/ai/models/search',
  40: 'https://api.siliconflow.cn/v1/models',
  41: [
    'https://aiplatform.googleapis.com/v1beta1/publishers/google/models?pageSize=300',
    'https://aiplatform.googleapis.com/v1beta1/publishers/anthropic/models?pageSize=300',
  ],
  42: 'https://api.mistral.ai/v1/models',
  43: 'https://api.deepseek.com/models',
  45: 'https://ark.cn-beijing.volces.com/api/v3/models',
  46: 'https://qianfan.baidubce.com/v2/models',
  47: 'https://own.example/v1/models',
  48: 'https://api.x.ai/v1/models',
  49: 'https://models.github.ai/catalog/models',
  1001: 'https://api.groq.com/openai/v1/models',
  1002: 'https://api.together.xyz/v1/models',
  1003: 'https://api.fireworks.ai/inference/v1/models',
  1004: 'https://api.cerebras.ai/v1/models',
  1005: 'https://api.deepinfra.com/v1/openai/models',
  1006: 'https://api.novita.ai/openai/v1/models',
  1007: 'https://integrate.api.nvidia.com/v1/models',
  1008: 'https://router.huggingface.co/v1/models',
  1009: 'https://api.stepfun.com/v1/models',
  1011: 'https://api-inference.modelscope.cn/v1/models',
  1012: 'http://localhost:8000/v1/models',
  1014: 'https://api.sambanova.ai/v1/models',
  1015: 'https://api.tokenfactory.nebius.com/v1/models',
  1016: 'https://api.hyperbolic.xyz/v1/models',
  1017: 'https://ai-gateway.vercel.sh/v1/models',
  1019: 'http://localhost:1234/v1/models',
  1020: 'http://localhost:8080/v1/models',
  1021: 'http://localhost:30000/v1/models',
  1022: 'http://localhost:8080/v1/models',
};

/** Types whose key or field `other` is part of the address. */
const GIVEN: Readonly<Record<number, { readonly key?: string; readonly other?: string }>> = {
  33: { key: 'AKIDEXAMPLE|secret|eu-west-1' },
  39: { other: 'acct' },
};

function addressesOf(type: number, { key = 'k', other = '' } = GIVEN[type] ?? {}): string[] {
  const provider = variantOf(providerOf(type), { key, other });
  const baseUrl = providerFacts(provider).address === 'your own' ? 'https://own.example' : '';
  return modelListRequests({ provider, baseUrl, key, other }).map(({ method, url }) => {
    expect(method).toBe('GET');
    return url.origin + url.path;
  });
}

test.each(Object.entries(ADDRESSES))('type %s lists its models at %s', (type, addresses) => {
  expect(addressesOf(Number(type))).toEqual([addresses].flat());
});

test('the table has all types that list models, and no others', () => {
  const listing = PROVIDERS.filter((row) => offersEndpoint(row, 'models'));
  expect(listing.map(({ type }) => type)).toEqual(Object.keys(ADDRESSES).map(Number));
});

test("Ollama's own API has its own model list", () => {
  expect(addressesOf(4, { other: 'native' })).toEqual(['http://localhost:11434/api/tags']);
});
