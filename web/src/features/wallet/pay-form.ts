/**
 * The way to the payment page: a form that the browser posts into a new tab, as these pages want it.
 * An address that is no web address is nobody's payment page.
 */
export function submitPayForm(url: string, fields: Readonly<Record<string, string>>): boolean {
  if (!/^https?:\/\//i.test(url)) return false;
  const form = document.createElement('form');
  form.method = 'post';
  form.action = url;
  form.target = '_blank';
  form.rel = 'noopener';
  form.hidden = true;
  for (const [name, value] of Object.entries(fields)) {
    const input = document.createElement('input');
    input.type = 'hidden';
    input.name = name;
    input.value = value;
    form.append(input);
  }
  document.body.append(form);
  form.submit();
  form.remove();
  return true;
}
