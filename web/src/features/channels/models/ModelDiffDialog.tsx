import { Button, Checkbox, Group, ScrollArea, Stack, Title } from '@mantine/core';
import { useQuery } from '@tanstack/react-query';
import { useState } from 'react';
import { useTranslation } from 'react-i18next';
import { Dimmed } from '../../../components/display/Dimmed.tsx';
import { SideButton } from '../../../components/display/SideButton.tsx';
import { SearchInput } from '../../../components/forms/SearchInput.tsx';
import { Empty, Loaded } from '../../../components/layout/list-states.tsx';
import { OpenModal } from '../../../components/layout/OpenModal.tsx';
import { useAction } from '../../../hooks/useAction.ts';
import { channelKeys } from '../../../lib/api/query-keys.ts';
import { type Channel, channelModels, channels } from '../calls.ts';
import { useRetiredModels } from '../editor/useChannelTypes.ts';
import { modelsOf } from '../list/channel-cells.tsx';
import { type DiffPart, diffOf, firstChoice, type ModelDiff } from './model-diff.ts';
import { usePriceOffer } from './usePriceOffer.tsx';

interface ModelDiffDialogProps {
  readonly onClose: () => void;
  /** Models the channel lists now. */
  readonly current: readonly string[];
  readonly fetch: (signal: AbortSignal) => Promise<readonly string[]>;
  /** Called with the complete new list. */
  readonly onApply: (models: readonly string[]) => unknown;
  readonly isBusy?: boolean;
}

/** Compares the upstream's models with the channel's: new, in both, gone. */
export function ModelDiffDialog({ onClose, current, fetch, ...choice }: ModelDiffDialogProps) {
  const { t } = useTranslation();
  // Refetched each time: the form or the upstream may have changed.
  const query = useQuery({
    queryKey: ['channel-upstream-models'],
    queryFn: ({ signal }) => fetch(signal),
    gcTime: 0,
    staleTime: 0,
    retry: false,
    refetchOnWindowFocus: false,
  });
  return (
    <OpenModal onClose={onClose} size="lg" title={t('channel.models.fetchTitle')}>
      <Loaded query={query}>
        {(offered) => <Choice {...choice} diff={diffOf(current, offered)} />}
      </Loaded>
    </OpenModal>
  );
}

const PARTS: readonly DiffPart[] = ['fresh', 'both', 'gone'];

interface ChoiceProps extends Pick<ModelDiffDialogProps, 'onApply' | 'isBusy'> {
  readonly diff: ModelDiff;
}

function Choice({ diff, onApply, isBusy = false }: ChoiceProps) {
  const { t } = useTranslation();
  const [chosen, setChosen] = useState<ReadonlySet<string>>(() => firstChoice(diff));
  const [keyword, setKeyword] = useState('');
  const fits = (model: string) => model.toLowerCase().includes(keyword.trim().toLowerCase());
  const shown = PARTS.flatMap((part) => diff[part]).filter(fits);
  const choose = (models: readonly string[], isOn: (model: string) => boolean) => {
    const next = new Set(chosen);
    for (const model of models) {
      if (isOn(model)) next.add(model);
      else next.delete(model);
    }
    setChosen(next);
  };
  if (diff.fresh.length + diff.both.length + diff.gone.length === 0)
    return <Empty title={t('channel.models.fetchedNone')} />;
  return (
    <Stack gap="sm">
      <Group>
        <SearchInput
          flex={1}
          label={t('channel.test.search')}
          value={keyword}
          onChange={setKeyword}
        />
        <SideButton
          label={t('channel.models.selectAll')}
          onClick={() => choose(shown, () => true)}
        />
        <SideButton
          label={t('channel.models.invert')}
          onClick={() => choose(shown, (model) => !chosen.has(model))}
        />
      </Group>
      <ScrollArea.Autosize mah="50dvh" type="auto">
        <Stack gap="md">
          {PARTS.map((part) => (
            <Part
              key={part}
              part={part}
              models={diff[part].filter(fits)}
              chosen={chosen}
              onChoose={(model, isOn) => choose([model], () => isOn)}
            />
          ))}
        </Stack>
      </ScrollArea.Autosize>
      <Group justify="flex-end">
        <Dimmed size="sm" mr="auto" aria-live="polite">
          {t('channel.models.chosen', { count: chosen.size })}
        </Dimmed>
        <Button
          disabled={chosen.size === 0}
          loading={isBusy}
          onClick={() =>
            onApply(PARTS.flatMap((part) => diff[part]).filter((one) => chosen.has(one)))
          }
        >
          {t('channel.models.apply')}
        </Button>
      </Group>
    </Stack>
  );
}

interface PartProps {
  readonly part: DiffPart;
  readonly models: readonly string[];
  readonly chosen: ReadonlySet<string>;
  readonly onChoose: (model: string, isOn: boolean) => void;
}

function Part({ part, models, chosen, onChoose }: PartProps) {
  const { t } = useTranslation();
  const retired = useRetiredModels();
  if (models.length === 0) return null;
  return (
    <Stack gap={6}>
      <Title order={3} size="h5">
        {t(`channel.models.${part}`, { count: models.length })}
      </Title>
      {models.map((model) => (
        <Checkbox
          key={model}
          size="xs"
          label={retired.has(model) ? t('channel.models.retired', { model }) : model}
          checked={chosen.has(model)}
          onChange={(event) => onChoose(model, event.currentTarget.checked)}
          styles={{
            label: { fontFamily: 'var(--mantine-font-family-monospace)', overflowWrap: 'anywhere' },
          }}
        />
      ))}
    </Stack>
  );
}

interface FetchOfChannelProps {
  readonly channel: Channel;
  readonly onClose: () => void;
}

/** Syncs the models of an existing channel with its upstream. */
export function FetchOfChannel({ channel, onClose }: FetchOfChannelProps) {
  const { t } = useTranslation();
  const offerPrices = usePriceOffer();
  const save = useAction(
    ({ id, models }: { readonly id: number; readonly models: readonly string[] }) =>
      channels.edit({ id, models: models.join(',') }),
    {
      touches: [channelKeys],
      done: ({ name }) => t('channel.done.saved', { name }),
      onDone: ({ id }) => {
        onClose();
        offerPrices(id);
      },
    },
  );
  const { id } = channel;
  return (
    <ModelDiffDialog
      onClose={onClose}
      current={modelsOf(channel)}
      fetch={(signal) => channelModels.fetch({ id }, { signal })}
      onApply={(models) => save.mutate({ id, models })}
      isBusy={save.isPending}
    />
  );
}
