import {
  Button,
  Checkbox,
  Group,
  Pill,
  ScrollArea,
  Select,
  Stack,
  Text,
  TextInput,
} from '@mantine/core';
import { useDebouncedValue } from '@mantine/hooks';
import { type ReactNode, useState } from 'react';
import { useTranslation } from 'react-i18next';
import { Dimmed } from '../../components/display/Dimmed.tsx';
import { SideButton } from '../../components/display/SideButton.tsx';
import { LoadFailed, Loading } from '../../components/layout/list-states.tsx';
import { useGroupNames } from '../../lib/api/group-names.ts';
import { usePrivacy } from '../../lib/display/privacy.ts';
import { type Audience, audienceSize, NO_RECIPIENTS, type SelectedUsers } from './form.ts';
import classes from './Messages.module.css';
import {
  everyMatch,
  PICKER_PAGE,
  type RecipientCandidate,
  useCandidates,
} from './useCandidates.ts';

const PAUSE_MS = 300;
const MAX_CHIPS = 20;

interface RecipientPickerProps {
  readonly audience: Audience;
  readonly onChange: (audience: Audience) => void;
  readonly error: ReactNode;
}

/** Selects a message's recipients from a paged user list, by page or all matches at once. */
export function RecipientPicker({ audience, onChange, error }: RecipientPickerProps) {
  const { t } = useTranslation();
  const [typed, setTyped] = useState('');
  const [group, setGroup] = useState('');
  const [page, setPage] = useState(1);
  const [keyword] = useDebouncedValue(typed.trim(), PAUSE_MS);
  const filter = { keyword, group };
  const names = useGroupNames();
  const query = useCandidates(filter, page);
  const picked: SelectedUsers = audience.kind === 'picked' ? audience.users : new Map();
  const pick = (users: SelectedUsers) => onChange({ kind: 'picked', users });
  const total = query.data?.total ?? 0;
  return (
    <Stack gap="sm" role="group" aria-label={t('message.recipients')}>
      <Text fw={500}>
        {t('message.recipients')} · {t('message.chosen', { count: audienceSize(audience) })}
      </Text>
      <Group wrap="nowrap" align="flex-end">
        <TextInput
          flex={1}
          aria-label={t('message.findUsers')}
          placeholder={t('message.findUsers')}
          value={typed}
          onChange={(event) => {
            setTyped(event.currentTarget.value);
            setPage(1);
          }}
          onKeyDown={keepInForm}
        />
        <Select
          allowDeselect
          w={140}
          aria-label={t('common.group')}
          placeholder={t('common.group')}
          clearable
          data={[...names]}
          value={group === '' ? null : group}
          onChange={(group) => {
            setGroup(group ?? '');
            setPage(1);
          }}
        />
      </Group>
      <Chosen audience={audience} onChange={onChange} />
      {error && (
        <Text size="xs" c="var(--mantine-color-error)" role="alert">
          {error}
        </Text>
      )}
      {audience.kind === 'picked' && (
        <>
          <MatchButtons
            rows={query.data?.items ?? []}
            total={total}
            picked={picked}
            onPick={pick}
            onAll={async () => onChange(await everyMatch(filter, total, picked))}
          />
          <ScrollArea
            h={400}
            style={{
              border: '1px solid var(--mantine-color-default-border)',
              borderRadius: 'var(--mantine-radius-md)',
            }}
            type="auto"
            viewportProps={{ tabIndex: 0 }}
          >
            {query.error ? (
              <LoadFailed error={query.error} onRetry={query.refetch} />
            ) : (
              <Candidates rows={query.data?.items} picked={picked} onPick={pick} />
            )}
          </ScrollArea>
          <TurnButtons page={page} total={total} onPage={setPage} />
        </>
      )}
    </Stack>
  );
}

/** Enter searches for users instead of sending the message. */
function keepInForm(event: React.KeyboardEvent): void {
  if (event.key === 'Enter' && !event.ctrlKey && !event.metaKey) event.preventDefault();
}

interface ChosenProps {
  readonly audience: Audience;
  readonly onChange: (audience: Audience) => void;
}

/** Chips; above a limit only a number. */
function Chosen({ audience, onChange }: ChosenProps) {
  const { t } = useTranslation();
  const isHidden = usePrivacy();
  if (audience.kind !== 'picked')
    return (
      <Pill
        size="md"
        withRemoveButton
        onRemove={() => onChange(NO_RECIPIENTS)}
        style={{ alignSelf: 'flex-start' }}
        removeButtonProps={{ 'aria-label': t('message.unpickAll') }}
      >
        {audience.kind === 'all'
          ? t('message.everybody', { count: audience.count })
          : t('message.wholeGroup', { group: audience.group, count: audience.count })}
      </Pill>
    );
  const { users } = audience;
  if (users.size === 0) return null;
  const remove = (id: number) => {
    const rest = new Map(users);
    rest.delete(id);
    onChange({ kind: 'picked', users: rest });
  };
  return (
    <Group gap={4}>
      {[...users].slice(0, MAX_CHIPS).map(([id, name]) => (
        <Pill
          key={id}
          withRemoveButton
          onRemove={() => remove(id)}
          removeButtonProps={{ 'aria-label': t('message.unpick', { name }), 'aria-hidden': false }}
        >
          {isHidden ? `#${id}` : name}
        </Pill>
      ))}
      {users.size > MAX_CHIPS && (
        <Dimmed span>{t('message.andMore', { count: users.size - MAX_CHIPS })}</Dimmed>
      )}
      <Button size="compact-xs" variant="subtle" onClick={() => onChange(NO_RECIPIENTS)}>
        {t('message.unpickAll')}
      </Button>
    </Group>
  );
}

interface MatchButtonsProps {
  readonly rows: readonly RecipientCandidate[];
  readonly total: number;
  readonly picked: SelectedUsers;
  readonly onPick: (users: SelectedUsers) => void;
  readonly onAll: () => Promise<void>;
}

function MatchButtons({ rows, total, picked, onPick, onAll }: MatchButtonsProps) {
  const { t } = useTranslation();
  const [isBusy, setBusy] = useState(false);
  const open = rows.filter(({ isOpen }) => isOpen);
  const isPagePicked = open.length > 0 && open.every(({ id }) => picked.has(id));
  const togglePage = () => {
    const next = new Map(picked);
    for (const { id, name } of open) {
      if (isPagePicked) next.delete(id);
      else next.set(id, name);
    }
    onPick(next);
  };
  return (
    <Group justify="space-between">
      <Checkbox
        size="xs"
        label={t('common.selectThisPage')}
        checked={isPagePicked}
        indeterminate={!isPagePicked && open.some(({ id }) => picked.has(id))}
        disabled={open.length === 0}
        onChange={togglePage}
      />
      <Button
        size="compact-xs"
        variant="light"
        disabled={total === 0}
        loading={isBusy}
        onClick={async () => {
          setBusy(true);
          await onAll().finally(() => setBusy(false));
        }}
      >
        {t('message.pickAll', { count: total })}
      </Button>
    </Group>
  );
}

interface CandidatesProps {
  readonly rows: readonly RecipientCandidate[] | undefined;
  readonly picked: SelectedUsers;
  readonly onPick: (users: SelectedUsers) => void;
}

function Candidates({ rows, picked, onPick }: CandidatesProps) {
  const { t } = useTranslation();
  const isHidden = usePrivacy();
  if (rows === undefined) return <Loading lines={8} />;
  if (rows.length === 0)
    return (
      <Dimmed size="sm" p="md" ta="center">
        {t('message.noUsers')}
      </Dimmed>
    );
  return rows.map(({ id, name, display, isOpen }) => (
    <Checkbox
      key={id}
      className={classes.user}
      size="xs"
      disabled={!isOpen}
      checked={picked.has(id)}
      label={isHidden ? `#${id}` : name}
      description={
        isOpen ? (isHidden ? undefined : `#${id} · ${display || name}`) : t('message.loggedOff')
      }
      onChange={() => {
        const next = new Map(picked);
        if (!next.delete(id)) next.set(id, name);
        onPick(next);
      }}
    />
  ));
}

interface TurnButtonsProps {
  readonly page: number;
  readonly total: number;
  readonly onPage: (page: number) => void;
}

/** The pages have a fixed size, so two buttons suffice. */
function TurnButtons({ page, total, onPage }: TurnButtonsProps) {
  const { t } = useTranslation();
  const pages = Math.max(1, Math.ceil(total / PICKER_PAGE));
  return (
    <Group justify="space-between">
      <SideButton
        size="compact-sm"
        disabled={page <= 1}
        label={t('part.pager.previous')}
        onClick={() => onPage(page - 1)}
      />
      <Dimmed aria-live="polite">
        {page} / {pages}
      </Dimmed>
      <SideButton
        size="compact-sm"
        disabled={page >= pages}
        label={t('part.pager.next')}
        onClick={() => onPage(page + 1)}
      />
    </Group>
  );
}
