import type { TFunction } from 'i18next';
import { useMemo } from 'react';
import { inputTokensOf } from '../../../../../src/domain/logs/claude-facts.ts';
import { triedChannels } from '../../../../../src/domain/logs/log-facts.ts';
import { balanceChangeOf, LOG_TYPE } from '../../../../../src/domain/logs/log-types.ts';
import { numberText } from '../../../../../src/domain/text/number-text.ts';
import type { Column } from '../../../components/data-table/columns.ts';
import { BalanceChange } from '../../../components/display/BalanceChange.tsx';
import { FullTime, RelativeTime } from '../../../components/display/RelativeTime.tsx';
import { Tag } from '../../../components/display/Tag.tsx';
import { toneOf } from '../../../components/display/tones.ts';
import { STORED, useStored } from '../../../lib/browser/stored.ts';
import { useCellText } from '../../../lib/text/cell-text.ts';
import type { LogEntry } from '../calls.ts';
import { tookMs } from '../timing.ts';
import type { OnCell } from './CellMenu.tsx';
import {
  CellButton,
  ChannelCell,
  ContentCell,
  ModelCell,
  PromptCell,
  RetryCell,
  summaryText,
  TimeCell,
  UserCell,
} from './log-cells.tsx';
import { typeName, typeTone } from './type-name.ts';

/** The columns of the log; those about other users and upstreams are for administrators only. */
export function useLogColumns(isAdmin: boolean, onPick: OnCell): readonly Column<LogEntry>[] {
  const t = useCellText();
  const [isExact] = useStored(STORED.logTimesAreExact);
  return useMemo(() => {
    const who = whoColumns({ t, isAdmin, isExact, onPick });
    const call = callColumns({ t, onPick });
    const end = endColumns({ t, isAdmin, onPick });
    return [...who, ...call, ...end].filter((column) => column !== false);
  }, [t, isAdmin, isExact, onPick]);
}

type Columns = readonly (Column<LogEntry> | false)[];

interface ColumnsOf {
  readonly t: TFunction;
  readonly isAdmin: boolean;
  readonly onPick: OnCell;
}

interface WhoColumnsOf extends ColumnsOf {
  readonly isExact: boolean;
}

/** When, for which account and through which channel and group. */
function whoColumns({ t, isAdmin, isExact, onPick }: WhoColumnsOf): Columns {
  const Time = isExact ? FullTime : RelativeTime;
  return [
    {
      key: 'created_at',
      title: t('log.time'),
      width: isExact ? 148 : 84,
      isFixed: true,
      card: 'title',
      render: (entry) => <Time at={entry.created_at} />,
    },
    isAdmin && {
      key: 'channel',
      title: t('common.channel'),
      width: 84,
      isWide: true,
      priority: 6,
      card: 'none',
      render: (entry) => <ChannelCell entry={entry} onPick={onPick} />,
    },
    isAdmin && {
      key: 'user',
      title: t('common.user'),
      width: 84,
      render: (entry) => entry.username !== '' && <UserCell entry={entry} onPick={onPick} />,
    },
    {
      key: 'token',
      title: t('log.field.token'),
      width: 84,
      isWide: true,
      priority: 3,
      card: 'none',
      render: (entry) =>
        entry.token_name !== '' && (
          <CellButton
            text={entry.token_name}
            onClick={(event) =>
              onPick(event, { patch: { token: entry.token_name }, text: entry.token_name })
            }
          />
        ),
    },
    {
      key: 'group',
      title: t('common.group'),
      width: 80,
      priority: 1,
      card: 'none',
      render: ({ group }) =>
        group !== '' && (
          <Tag
            tone={group === 'default' ? 'grey' : toneOf(group)}
            title={group}
            onClick={(event) => onPick(event, { patch: { group }, text: group })}
          >
            {group}
          </Tag>
        ),
    },
    {
      key: 'type',
      title: t('common.type'),
      width: 108,
      card: 'status',
      render: ({ type }) => (
        <Tag
          tone={typeTone(type)}
          onClick={(event) =>
            onPick(event, { patch: { type: String(type) }, text: typeName(t, type) })
          }
        >
          {typeName(t, type)}
        </Tag>
      ),
    },
  ];
}

/** Model, cost, duration and token counts. */
function callColumns({ t, onPick }: Omit<ColumnsOf, 'isAdmin'>): Columns {
  return [
    {
      key: 'model',
      title: t('common.model'),
      width: 126,
      isWide: true,
      render: (entry) => entry.model_name !== '' && <ModelCell entry={entry} onPick={onPick} />,
    },
    {
      key: 'quota',
      title: t('log.cost'),
      // Ten characters, such as -$0.000042.
      width: 98,
      align: 'right',
      render: (entry) =>
        (entry.quota !== 0 || entry.type === LOG_TYPE.consume) && (
          <BalanceChange {...balanceChangeOf(entry.type, entry.quota)} />
        ),
    },
    {
      key: 'use_time',
      title: t('log.useTime'),
      width: 146,
      priority: 9,
      render: (entry) => tookMs(entry) > 0 && <TimeCell entry={entry} />,
    },
    {
      key: 'stream',
      title: t('log.stream'),
      width: 72,
      priority: 2,
      align: 'center',
      card: 'none',
      render: (entry) =>
        isCall(entry) && (
          <Tag tone={entry.is_stream ? 'teal' : 'grey'}>
            {t(entry.is_stream ? 'log.stream.yes' : 'log.stream.no')}
          </Tag>
        ),
    },
    {
      key: 'prompt',
      title: t('rate.kind.input'),
      width: 84,
      priority: 8,
      align: 'right',
      card: 'none',
      whole: (entry) => countOf(inputTokensOf(entry, entry.facts)),
      render: (entry) => <PromptCell entry={entry} />,
    },
    {
      key: 'completion',
      title: t('rate.kind.output'),
      width: 54,
      priority: 7,
      align: 'right',
      card: 'none',
      whole: ({ completion_tokens }) => countOf(completion_tokens),
      render: ({ completion_tokens }) => countOf(completion_tokens),
    },
  ];
}

/** Retries, address and details. */
function endColumns({ t, isAdmin, onPick }: ColumnsOf): Columns {
  return [
    isAdmin && {
      key: 'retry',
      title: t('action.retry'),
      width: 54,
      priority: 4,
      card: 'none',
      render: (entry) => <RetryCell channels={triedChannels(entry.facts)} />,
    },
    {
      key: 'ip',
      title: t('log.field.ip'),
      width: 130,
      startsHidden: true,
      card: 'none',
      render: ({ client_ip: ip = '' }) =>
        ip !== '' && (
          <CellButton text={ip} onClick={(event) => onPick(event, { patch: { ip }, text: ip })} />
        ),
    },
    {
      key: 'details',
      title: t('log.details'),
      width: 118,
      isWide: true,
      // Users look here for what an entry cost and why; administrators need the other columns first.
      priority: isAdmin ? 5 : 10,
      render: (entry) => <ContentCell content={summaryText(t, entry)} />,
    },
  ];
}

function countOf(tokens: number): string | undefined {
  return tokens > 0 ? numberText(tokens) : undefined;
}

function isCall({ type }: LogEntry): boolean {
  return type === LOG_TYPE.consume || type === LOG_TYPE.error;
}
