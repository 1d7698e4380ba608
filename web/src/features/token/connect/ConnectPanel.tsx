import { Button, Group, Select, Stack, Text } from '@mantine/core';
import { IconPlayerPlay } from '@tabler/icons-react';
import { useMutation, useQuery } from '@tanstack/react-query';
import { useEffect, useRef, useState } from 'react';
import { useTranslation } from 'react-i18next';
import { logCalls } from '../../../../../src/api/logs/log.ts';
import { splitList } from '../../../../../src/domain/text/comma-list.ts';
import { objectIn, textIn } from '../../../../../src/json/read-json.ts';
import { SnippetTabs } from '../../../components/content/SnippetTabs.tsx';
import { ModelProblem } from '../../../components/display/ModelProblem.tsx';
import { Notice } from '../../../components/display/Notice.tsx';
import { callableModelsQuery } from '../../../lib/api/account.ts';
import { client } from '../../../lib/api/api.ts';
import { STORED } from '../../../lib/browser/stored.ts';
import { useQuotaText } from '../../../lib/pricing/quota-format.ts';
import { useBaseUrl } from '../../../lib/site/base-url.ts';
import { durationText } from '../../../lib/text/dates.ts';
import type { Token } from '../calls.ts';
import { ANY_MODEL, firstModel, snippetsFor } from './client-snippets.ts';

interface ConnectPanelProps {
  readonly token: Token;
  /** The whole key. */
  readonly apiKey: string;
}

/** Code for common clients with the key, and a test call. */
export function ConnectPanel({ token, apiKey }: ConnectPanelProps) {
  const { t } = useTranslation();
  const url = useBaseUrl();
  const { data: offered = [], isSuccess } = useQuery(callableModelsQuery);
  const models = token.model_limits_enabled ? splitList(token.model_limits) : offered;
  const [chosen, setChosen] = useState<string | null>(null);
  const model = chosen ?? firstModel(models);
  const facts = { url, key: apiKey, model: model ?? ANY_MODEL };
  return (
    <Stack gap="sm">
      <Group align="flex-end" justify="space-between">
        <Select
          label={t('common.model')}
          flex="1 1 220px"
          maw={360}
          data={models}
          value={model ?? null}
          onChange={setChosen}
          searchable
          limit={100}
          disabled={models.length === 0}
        />
        <Try key={model} apiKey={apiKey} model={model} />
      </Group>
      {isSuccess && models.length === 0 && <Notice tone="yellow">{t('token.noModels')}</Notice>}
      <SnippetTabs snippets={snippetsFor(facts)} secret={apiKey} />
    </Stack>
  );
}

interface TryProps {
  readonly apiKey: string;
  readonly model: string | undefined;
}

/** Keyed by model: the result for one does not apply to another. */
function Try({ apiKey, model }: TryProps) {
  const { t } = useTranslation();
  const stop = useRef<AbortController | undefined>(undefined);
  const { mutate, data, isPending } = useMutation({
    mutationFn: (model: string) => {
      stop.current = new AbortController();
      return tryToken(apiKey, model, stop.current.signal);
    },
  });
  useEffect(() => () => stop.current?.abort(), []);
  return (
    <>
      <Button
        variant="light"
        leftSection={<IconPlayerPlay size={16} />}
        loading={isPending}
        disabled={model === undefined}
        onClick={() => model !== undefined && mutate(model)}
      >
        {t('common.test')}
      </Button>
      <div aria-live="polite" style={{ flexBasis: '100%' }}>
        {data !== undefined && <Outcome tried={data} />}
      </div>
    </>
  );
}

function Outcome({ tried }: { readonly tried: Tried }) {
  const { t } = useTranslation();
  const quotaText = useQuotaText();
  const { status, ms, problem, cost } = tried;
  if (status !== 200)
    return (
      <Notice tone="red" title={t('token.testFailed', { status })}>
        <ModelProblem text={status === 0 ? t('problem.unreachable') : problem} />
      </Notice>
    );
  return (
    <Notice tone="green">
      <Text span>
        {t('token.testDone', { status, time: durationText(ms) })}
        {cost !== undefined && ` · ${t('token.testCost', { cost: quotaText(cost) })}`}
      </Text>
    </Notice>
  );
}

const logs = client({ ofRequest: logCalls.get });

interface Tried {
  /** HTTP status; 0 without a response. */
  readonly status: number;
  /** Until the response was complete. */
  readonly ms: number;
  /** The gateway's error message; '' without a response. */
  readonly problem: string;
  /** Units; undefined if nothing was recorded. */
  readonly cost: number | undefined;
}

const MAX_TOKENS = 16;

/** Rejects only if aborted. */
async function tryToken(key: string, model: string, signal: AbortSignal): Promise<Tried> {
  const startedMs = performance.now();
  const since = () => Math.round(performance.now() - startedMs);
  try {
    const answer = await fetch('/v1/chat/completions', {
      method: 'POST',
      headers: {
        authorization: `Bearer ${key}`,
        'content-type': 'application/json',
        'accept-language': STORED.language.read(),
      },
      body: JSON.stringify({
        model,
        max_tokens: MAX_TOKENS,
        messages: [{ role: 'user', content: 'Hi' }],
      }),
      signal,
    });
    const body: unknown = await answer.json().catch(() => undefined);
    const [ms, { status }] = [since(), answer];
    const problem = textIn(objectIn(body, 'error'), 'message') ?? '';
    if (!answer.ok) return { status, ms, problem, cost: undefined };
    return { status, ms, problem: '', cost: await costOf(answer.headers.get('x-request-id')) };
  } catch {
    signal.throwIfAborted();
    return { status: 0, ms: since(), problem: '', cost: undefined };
  }
}

/** The gateway responds only after the log entry is written, so the entry is found. */
async function costOf(requestId: string | null): Promise<number | undefined> {
  if (requestId === null) return undefined;
  const entries = await logs.ofRequest({ request_id: requestId }).catch(() => []);
  return entries.length === 0 ? undefined : entries.reduce((sum, { quota }) => sum + quota, 0);
}
