import { Button, Checkbox, Group, Select, Stack, Switch, Text } from '@mantine/core';
import { IconPlayerPlay, IconPlayerStop } from '@tabler/icons-react';
import { useQuery, useQueryClient } from '@tanstack/react-query';
import { useState } from 'react';
import { useTranslation } from 'react-i18next';
import { CopyWideButton } from '../../../components/display/copy.tsx';
import { Dimmed } from '../../../components/display/Dimmed.tsx';
import { SideButton } from '../../../components/display/SideButton.tsx';
import { TypeTag } from '../../../components/display/tag-lists.tsx';
import { SearchInput } from '../../../components/forms/SearchInput.tsx';
import { OpenModal } from '../../../components/layout/OpenModal.tsx';
import { channelKeys } from '../../../lib/api/query-keys.ts';
import { useIsPhone } from '../../../lib/display/screen.ts';
import { durationText } from '../../../lib/text/dates.ts';
import { type Channel, channels } from '../calls.ts';
import { modelsOf } from '../list/channel-cells.tsx';
import { ModelTestRow } from './ModelTestRow.tsx';
import classes from './TestDialog.module.css';
import {
  runTests,
  stopTests,
  type TestRequest,
  testSummary,
  useTestResults,
} from './test-results.ts';

interface TestDialogProps {
  readonly listed: Channel;
  readonly onClose: () => void;
}

interface TestOptions extends Pick<TestRequest, 'stream' | 'endpoint'> {
  readonly keyword: string;
}

/** Tests some or all models of a channel, four at a time. */
export function TestDialog({ listed, onClose }: TestDialogProps) {
  const { t } = useTranslation();
  const isPhone = useIsPhone();
  return (
    <OpenModal
      onClose={onClose}
      size={880}
      fullScreen={isPhone}
      title={
        <Group wrap="nowrap">
          <Text size="md" fw={600} truncate>
            {t('channel.test.title', { name: listed.name })}
          </Text>
          <TypeTag type={listed.type} />
        </Group>
      }
    >
      <Tests listed={listed} />
    </OpenModal>
  );
}

function Tests({ listed }: Pick<TestDialogProps, 'listed'>) {
  const { t } = useTranslation();
  const cache = useQueryClient();
  // The row may be older than the dialog's own changes.
  const { data: channel = listed } = useQuery({
    queryKey: channelKeys.one(listed.id),
    queryFn: ({ signal }) => channels.get({ id: listed.id, reveal: false }, { signal }),
    initialData: listed,
  });
  const models = modelsOf(channel);
  const { byModel, isRunning } = useTestResults(channel.id);
  const [how, setHow] = useState<TestOptions>({ keyword: '', stream: false, endpoint: '' });
  const [chosen, setChosen] = useState<ReadonlySet<string>>(new Set());
  const shown = models.filter((model) =>
    model.toLowerCase().includes(how.keyword.trim().toLowerCase()),
  );
  const picked = shown.filter((model) => chosen.has(model));
  const run = async (which: readonly string[]) => {
    await runTests({
      channelId: channel.id,
      models: which,
      stream: how.stream,
      endpoint: how.endpoint,
    });
    await cache.invalidateQueries({ queryKey: channelKeys.all });
  };
  const toggle = (model: string, isOn: boolean) => {
    const next = new Set(chosen);
    if (isOn) next.add(model);
    else next.delete(model);
    setChosen(next);
  };
  return (
    <Stack gap="sm">
      <How how={how} onChange={setHow} />
      <Group>
        <Checkbox
          label={t('channel.test.choose', { count: picked.length })}
          checked={picked.length > 0 && picked.length === shown.length}
          indeterminate={picked.length > 0 && picked.length < shown.length}
          onChange={(event) => setChosen(new Set(event.currentTarget.checked ? shown : []))}
          mr="auto"
        />
        {isRunning ? (
          <Button
            color="danger"
            leftSection={<IconPlayerStop size={16} />}
            onClick={() => stopTests(channel.id)}
          >
            {t('channel.test.stop')}
          </Button>
        ) : (
          <>
            <SideButton
              disabled={picked.length === 0}
              label={t('channel.test.chosen')}
              onClick={() => void run(picked)}
            />
            <Button leftSection={<IconPlayerPlay size={16} />} onClick={() => void run(shown)}>
              {t('channel.test.all')}
            </Button>
          </>
        )}
      </Group>
      <div className={classes.list}>
        {shown.map((model) => (
          <ModelTestRow
            key={model}
            channel={channel}
            model={model}
            test={byModel.get(model)}
            isChosen={chosen.has(model)}
            onChoose={(isOn) => toggle(model, isOn)}
            onTest={() => void run([model])}
            isBusy={isRunning}
          />
        ))}
        {shown.length === 0 && (
          <Dimmed size="sm" p="md" ta="center">
            {t('channel.test.none')}
          </Dimmed>
        )}
      </div>
      <Summary channelId={channel.id} />
    </Stack>
  );
}

interface HowProps {
  readonly how: TestOptions;
  readonly onChange: (how: TestOptions) => void;
}

const ENDPOINTS = [
  '',
  'chat',
  'embeddings',
  'images',
  'speech',
  'transcriptions',
  'rerank',
] as const satisfies readonly TestOptions['endpoint'][];

/** Which models are shown, and the type of test request. */
function How({ how, onChange }: HowProps) {
  const { t } = useTranslation();
  return (
    <Group gap="sm">
      <SearchInput
        flex="1 1 180px"
        label={t('channel.test.search')}
        value={how.keyword}
        onChange={(keyword) => onChange({ ...how, keyword })}
      />
      <Select
        w={150}
        aria-label={t('channel.test.endpoint')}
        value={how.endpoint}
        onChange={
          (endpoint) => onChange({ ...how, endpoint: endpoint as TestOptions['endpoint'] }) // one of those below
        }
        data={ENDPOINTS.map((value) => ({
          value,
          label: t(`channel.test.${value === '' ? 'auto' : value}`),
        }))}
      />
      <Switch
        label={t('channel.test.stream')}
        checked={how.stream}
        disabled={how.endpoint !== '' && how.endpoint !== 'chat'}
        onChange={(event) => onChange({ ...how, stream: event.currentTarget.checked })}
      />
    </Group>
  );
}

function Summary({ channelId }: { readonly channelId: number }) {
  const { t } = useTranslation();
  const { ok, failed, medianMs, working } = testSummary(useTestResults(channelId).byModel);
  return (
    <Group gap="sm" mih={32}>
      <Text aria-live="polite" mr="auto">
        {ok + failed > 0 && t('channel.test.summary', { ok, failed })}
        {medianMs !== undefined &&
          ` · ${t('channel.test.median', { time: durationText(medianMs) })}`}
      </Text>
      {working.length > 0 && (
        <CopyWideButton size="xs" text={working.join(',')}>
          {t('channel.test.copyWorking')}
        </CopyWideButton>
      )}
    </Group>
  );
}
