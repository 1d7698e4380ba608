import { Checkbox, Group, Loader, Text } from '@mantine/core';
import { IconCopy, IconPlayerPlay, IconStar, IconTrash } from '@tabler/icons-react';
import { useTranslation } from 'react-i18next';
import { RowActions } from '../../../components/data-table/RowActions.tsx';
import { copyText } from '../../../components/display/copy.tsx';
import { Dimmed } from '../../../components/display/Dimmed.tsx';
import { Tag } from '../../../components/display/Tag.tsx';
import { responseTone } from '../../../components/display/tones.ts';
import { problemText } from '../../../components/forms/call-problem.ts';
import { useAction } from '../../../hooks/useAction.ts';
import { channelKeys } from '../../../lib/api/query-keys.ts';
import { durationText } from '../../../lib/text/dates.ts';
import { type Channel, channels } from '../calls.ts';
import { modelsOf } from '../list/channel-cells.tsx';
import classes from './TestDialog.module.css';
import type { ModelTest } from './test-results.ts';

interface ModelTestRowProps {
  readonly channel: Channel;
  readonly model: string;
  readonly test: ModelTest | undefined;
  readonly isChosen: boolean;
  readonly isBusy: boolean;
  readonly onChoose: (isOn: boolean) => void;
  readonly onTest: () => void;
}

export function ModelTestRow(props: ModelTestRowProps) {
  const { channel, model, test, isChosen, isBusy, onChoose, onTest } = props;
  const { t } = useTranslation();
  const change = useAction(
    (edit: { readonly models?: string; readonly test_model?: string }) =>
      channels.edit({ id: channel.id, ...edit }),
    { touches: [channelKeys], done: ({ name }) => t('channel.done.saved', { name }) },
  );
  const models = modelsOf(channel);
  const isDefault = (channel.test_model || models[0]) === model;
  const failure = useFailure(test);
  return (
    <div className={classes.row}>
      <div className={classes.model}>
        <Checkbox
          size="xs"
          checked={isChosen}
          aria-label={t('channel.test.pick', { model })}
          onChange={(event) => onChoose(event.currentTarget.checked)}
        />
        <Text ff="monospace" truncate title={model}>
          {model}
        </Text>
        {isDefault && <Tag tone="blue">{t('channel.test.default')}</Tag>}
      </div>
      <div className={classes.outcome}>
        <Outcome test={test} failure={failure} />
      </div>
      <RowActions
        id={model}
        actions={[
          {
            key: 'test',
            label: t('channel.test.one', { model }),
            icon: <IconPlayerPlay size={16} />,
            isPrimary: true,
            onClick: onTest,
            ...(isBusy && { refusal: t('channel.test.busy') }),
          },
          {
            key: 'copy',
            label: t('channel.test.copyError'),
            icon: <IconCopy size={16} />,
            onClick: () => copyText(failure ?? ''),
            ...(failure === undefined && { refusal: t('channel.test.noError') }),
          },
          {
            key: 'default',
            label: t('channel.test.makeDefault'),
            icon: <IconStar size={16} />,
            onClick: () => change.mutate({ test_model: model }),
            ...(isDefault && { refusal: t('channel.test.isDefault') }),
          },
          {
            key: 'remove',
            label: t('channel.test.remove'),
            icon: <IconTrash size={16} />,
            isDanger: true,
            onClick: () =>
              change.mutate({ models: models.filter((one) => one !== model).join(',') }),
            ...(models.length === 1 && { refusal: t('channel.check.models') }),
          },
        ]}
      />
    </div>
  );
}

/** The full error text. */
function useFailure(test: ModelTest | undefined): string | undefined {
  const { t } = useTranslation();
  if (test?.state === 'refused') return problemText(t, test.problem);
  if (test?.state !== 'done' || test.probe.success) return undefined;
  return test.probe.message || `HTTP ${test.probe.status_code}`;
}

interface OutcomeProps {
  readonly test: ModelTest | undefined;
  readonly failure: string | undefined;
}

function Outcome({ test, failure }: OutcomeProps) {
  const { t } = useTranslation();
  if (test === undefined) return null;
  if (failure !== undefined) {
    return (
      <Group gap={6} wrap="nowrap" align="flex-start">
        <span className={classes.word}>
          <Tag tone="red">{t('channel.results.failed')}</Tag>
        </span>
        <Text size="xs" style={{ overflowWrap: 'anywhere' }} c="var(--tone-red-text)">
          {failure}
        </Text>
      </Group>
    );
  }
  if (test.state === 'running') {
    return (
      <Group gap={6}>
        <Loader size={14} aria-hidden />
        <Dimmed>{t('channel.test.running')}</Dimmed>
      </Group>
    );
  }
  if (test.state !== 'done') {
    return (
      <Dimmed>
        {t(test.state === 'waiting' ? 'channel.test.waiting' : 'channel.test.stopped')}
      </Dimmed>
    );
  }
  const { time_ms, first_token_ms, answer } = test.probe;
  return (
    <Group gap={6} wrap="nowrap">
      <span className={classes.word}>
        <Tag tone={responseTone(Math.max(1, time_ms))}>{durationText(time_ms)}</Tag>
      </span>
      <Dimmed truncate title={answer}>
        {first_token_ms > 0 &&
          `${t('channel.test.first', { time: durationText(first_token_ms) })} `}
        {answer}
      </Dimmed>
    </Group>
  );
}
