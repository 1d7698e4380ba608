import { Button, Group, Select, Stack, Text } from '@mantine/core';
import { IconPlayerPlay } from '@tabler/icons-react';
import { useMutation, useQuery } from '@tanstack/react-query';
import { useEffect, useRef, useState } from 'react';
import { useTranslation } from 'react-i18next';
import { splitList } from '../../../../../src/domain/text/comma-list.ts';
import { SnippetTabs } from '../../../components/content/SnippetTabs.tsx';
import { Notice } from '../../../components/display/Notice.tsx';
import { useQuotaText } from '../../../lib/pricing/quota-format.ts';
import { useBaseUrl } from '../../../lib/site/base-url.ts';
import { durationText } from '../../../lib/text/dates.ts';
import { modelsReading, type Token } from '../calls.ts';
import { ANY_MODEL, firstModel, snippetsFor } from './client-snippets.ts';
import { type Tried, tryToken } from './try-token.ts';

interface ConnectPanelProps {
  readonly token: Token;
  /** The whole key. */
  readonly apiKey: string;
}

/** Code for common clients with the key, and a test call. */
export function ConnectPanel({ token, apiKey }: ConnectPanelProps) {
  const { t } = useTranslation();
  const url = useBaseUrl();
  const { data: offered = [], isSuccess } = useQuery(modelsReading);
  const models = token.model_limits_enabled ? splitList(token.model_limits) : offered;
  const [chosen, setChosen] = useState<string | null>(null);
  const model = chosen ?? firstModel(models);
  const facts = { url, key: apiKey, model: model ?? ANY_MODEL };
  return (
    <Stack gap="sm">
      <Group gap="xs" align="flex-end" justify="space-between">
        <Select
          label={t('token.model')}
          flex="1 1 220px"
          maw={360}
          data={models}
          value={model ?? null}
          onChange={setChosen}
          allowDeselect={false}
          searchable
          limit={100}
          disabled={models.length === 0}
        />
        <Try key={model} apiKey={apiKey} model={model} />
      </Group>
      {isSuccess && models.length === 0 && <Notice tone="yellow">{t('token.noModels')}</Notice>}
      <SnippetTabs snippets={snippetsFor(facts)} />
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
        {t('token.test')}
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
        {problem !== '' && problem}
      </Notice>
    );
  return (
    <Notice tone="green">
      <Text span size="sm">
        {t('token.testDone', { status, time: durationText(ms) })}
        {cost !== undefined && ` · ${t('token.testCost', { cost: quotaText(cost, true) })}`}
      </Text>
    </Notice>
  );
}
