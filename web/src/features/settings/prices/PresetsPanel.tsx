import { Button, Checkbox, Group, Stack } from '@mantine/core';
import { useState } from 'react';
import { useTranslation } from 'react-i18next';
import type { OptionKey } from '../../../../../src/domain/options/registry.ts';
import { PRICE_OPTIONS } from '../../../../../src/domain/options/rows/pricing.ts';
import { asObject, parseJson } from '../../../../../src/json/read-json.ts';
import { Dimmed } from '../../../components/display/Dimmed.tsx';
import { confirm } from '../../../components/layout/confirm.tsx';
import { toast } from '../../../components/layout/toasts.tsx';
import { useAction } from '../../../hooks/useAction.ts';
import { optionKeys, priceKeys } from '../../../lib/api/query-keys.ts';
import { someNames } from '../../../lib/text/lists.ts';
import { options, priceSource } from '../calls.ts';
import type { Stored } from '../sections/draft.ts';
import { useSettings } from '../sections/settings-store.ts';
import { SourceDialog } from './SourceDialog.tsx';
import type { SourceChanges } from './source-rows.ts';

/** Compares prices with the configured source, and restores the built-in ones. */
export function PresetsPanel() {
  const { t } = useTranslation();
  return (
    <Stack gap="md" mt="md">
      <Dimmed size="sm">{t('setting.preset.hint')}</Dimmed>
      <FetchPrices />
      <Group gap="md">
        <RemoveSynced />
        <ResetPrices />
      </Group>
    </Stack>
  );
}

function FetchPrices() {
  const { t } = useTranslation();
  const { stored, text, discard } = useSettings();
  const [isServedOnly, setServedOnly] = useState(true);
  const [found, setFound] = useState<SourceChanges>();
  const fetch = useAction(() => priceSource.changes({ enabled: isServedOnly }), {
    onDone: (changes) =>
      changes.items.length === 0 ? toast.info(t('setting.preset.same')) : setFound(changes),
  });
  const set = useAction(priceSource.apply, {
    touches: [optionKeys, priceKeys],
    done: () => t('setting.saved'),
    onDone: () => {
      discard(['SyncedRates']);
      setFound(undefined);
    },
  });
  const take = () => {
    const url = stored.get('PriceSourceUrl') ?? '';
    if (text('PriceSourceUrl') !== url) return toast.info(t('setting.preset.saveFirst'));
    if (url === '') return toast.info(t('setting.preset.noSource'));
    fetch.mutate(undefined);
  };
  return (
    <Group gap="md">
      <Button loading={fetch.isPending} onClick={take}>
        {t('setting.preset.fetch')}
      </Button>
      <Checkbox
        label={t('setting.preset.servedOnly')}
        checked={isServedOnly}
        onChange={(event) => setServedOnly(event.currentTarget.checked)}
      />
      {found !== undefined && (
        <SourceDialog
          changes={found}
          isBusy={set.isPending}
          onClose={() => setFound(undefined)}
          onTake={(prices) => set.mutate({ source: found.source, prices })}
        />
      )}
    </Group>
  );
}

function RemoveSynced() {
  const { t } = useTranslation();
  const { discard } = useSettings();
  const remove = useAction(() => priceSource.remove({}), {
    touches: [optionKeys, priceKeys],
    done: (count) => t('setting.preset.removed', { count }),
    onDone: () => discard(['SyncedRates']),
  });
  const ask = async () => {
    const found = await options.get({ key: 'SyncedRates' }).catch(toast.failure);
    if (!found) return;
    const names = Object.keys(asObject(parseJson(found.value ?? '')) ?? {});
    if (names.length === 0) return toast.info(t('setting.preset.removed', { count: 0 }));
    const isSure = await confirm({
      title: t('setting.preset.removeAsk'),
      text: t('setting.preset.removeText', { count: names.length, names: someNames(names) }),
      verb: t('setting.preset.remove'),
      isDanger: true,
    });
    if (isSure) remove.mutate(undefined);
  };
  return (
    <Button variant="outline" loading={remove.isPending} onClick={() => void ask()}>
      {t('setting.preset.remove')}
    </Button>
  );
}

function ResetPrices() {
  const { t } = useTranslation();
  const { discard, stored } = useSettings();
  const reset = useAction(() => options.resetModelRatio({}), {
    touches: [optionKeys, priceKeys],
    done: () => t('setting.preset.resetDone'),
    onDone: () => discard(PRICE_OPTIONS),
    onFailed: () => toast.error(t('setting.preset.resetFailed')),
  });
  const ask = async () => {
    const names = pricedModels(stored, PRICE_OPTIONS);
    if (names.length === 0) return toast.info(t('setting.preset.resetNone'));
    const isSure = await confirm({
      title: t('setting.preset.resetAsk'),
      text: t('setting.preset.resetText', { count: names.length, names: someNames(names) }),
      verb: t('setting.preset.reset'),
      isDanger: true,
    });
    if (isSure) reset.mutate(undefined);
  };
  return (
    <Button variant="outline" color="danger" loading={reset.isPending} onClick={() => void ask()}>
      {t('setting.preset.reset')}
    </Button>
  );
}

/** The models with an entry in one of these options. */
function pricedModels(stored: Stored, keys: readonly OptionKey[]): readonly string[] {
  const maps = keys.map((key) => asObject(parseJson(stored.get(key) ?? '')) ?? {});
  return [...new Set(maps.flatMap(Object.keys))];
}
