/** Settings from the environment: frozen when right, one telling line when wrong. */
import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import { z } from 'zod';
import { ConfigError, describeSettings, readConfig, setting } from '../../src/process/config.ts';

const Settings = z.object({
  host: setting.host('APP_HOST', '127.0.0.1'),
  port: setting.port('APP_PORT', 8080),
  base_url: setting.httpUrl('APP_BASE_URL'),
  database_url: setting.database('APP_DATABASE_URL', 'sqlite:data/app.db'),
  token: setting.bearer('APP_TOKEN'),
  size: setting.count('APP_SIZE', 10, 'a size in bytes'),
});

describe('a configuration', () => {
  test('has its defaults where nothing is set, and is frozen', () => {
    const config = readConfig(Settings, {});
    assert.deepEqual({ ...config }, { host: '127.0.0.1', port: 8080, database_url: 'sqlite:data/app.db', size: 10 });
    assert.ok(Object.isFrozen(config));
  });

  test('is told in one line per setting, with what holds without it', () => {
    const lines = describeSettings(Settings).split('\n');
    assert.equal(lines[1], '  APP_PORT          a port, 0 to 65535 (0 picks a free one) (default: 8080)');
    assert.equal(lines[4], '  APP_TOKEN         a secret of at least 16 characters, of letters, digits and signs');
  });

  test('counts an empty variable as unset', () => {
    assert.equal(readConfig(Settings, { APP_PORT: '', APP_TOKEN: '' }).port, 8080);
  });

  test('takes what is set', () => {
    const config = readConfig(Settings, {
      APP_PORT: '0',
      APP_BASE_URL: 'https://a.example/b//',
      APP_DATABASE_URL: 'postgres://u:p@h/d',
      OTHER: 'x',
    });
    assert.deepEqual(
      [config.port, config.base_url, config.database_url],
      [0, 'https://a.example/b', 'postgres://u:p@h/d'],
    );
    assert.ok(!('OTHER' in config));
  });

  test('that is wrong is refused in one line: the variable, what it got, what it takes', () => {
    const wrong: [string, string, string][] = [
      ['APP_PORT', '65536', 'APP_PORT: got "65536", takes a port, 0 to 65535 (0 picks a free one)'],
      ['APP_PORT', '80 ', 'APP_PORT: got "80 ", takes a port, 0 to 65535 (0 picks a free one)'],
      ['APP_HOST', 'a b', 'APP_HOST: got "a b", takes a host name or an IP address'],
      ['APP_BASE_URL', 'a.example', 'APP_BASE_URL: got "a.example", takes an http:// or https:// address'],
      ['APP_SIZE', '0', 'APP_SIZE: got "0", takes a size in bytes'],
      ['APP_SIZE', '1\n2', 'APP_SIZE: got "1\\n2", takes a size in bytes'],
    ];
    for (const [name, value, line] of wrong)
      assert.throws(() => readConfig(Settings, { [name]: value }), new ConfigError(line));
  });

  test('never shows the value of a secret', () => {
    for (const [name, value] of [
      ['APP_TOKEN', 'too-short'],
      ['APP_DATABASE_URL', 'mysql://root:hunter2@db/x'],
    ] as const)
      assert.throws(
        () => readConfig(Settings, { [name]: value }),
        (error: Error) => /got \(not shown\)/.test(error.message) && !error.message.includes(value),
      );
  });
});
