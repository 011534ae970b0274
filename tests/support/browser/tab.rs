//! A tab of the browser, as its user has it: what is shown, keys, the mouse.

use std::fmt::Write as _;
use std::sync::Arc;
use std::thread::sleep;
use std::time::{Duration, Instant};

use base64::Engine as _;
use serde_json::{Value, json};

use super::{Browser, LONG};

/// A tab with nothing in it that another one could see.
pub struct Tab {
    browser: Arc<Browser>,
    context: String,
    session: String,
}

impl Tab {
    /// A tab that shows what is at an address.
    pub fn open(address: &str) -> Self {
        let browser = Browser::shared();
        let word = |value: Value, name: &str| value[name].as_str().unwrap().to_owned();
        let context = browser.call(None, "Target.createBrowserContext", &json!({}));
        let context = word(context, "browserContextId");
        let new = json!({"url": "about:blank", "browserContextId": context, "width": 1280, "height": 800});
        let target = word(browser.call(None, "Target.createTarget", &new), "targetId");
        let attach = json!({"targetId": target, "flatten": true});
        let session = word(
            browser.call(None, "Target.attachToTarget", &attach),
            "sessionId",
        );
        let tab = Self {
            browser,
            context,
            session,
        };
        for domain in ["Runtime", "Log", "Page", "Network", "Accessibility"] {
            tab.call(&format!("{domain}.enable"), &json!({}));
        }
        tab.size(1280, 800);
        tab.dark(false);
        tab.go(address);
        tab
    }

    pub fn call(&self, method: &str, parameters: &Value) -> Value {
        self.browser.call(Some(&self.session), method, parameters)
    }

    pub fn go(&self, address: &str) {
        self.call("Page.navigate", &json!({"url": address}));
        self.loaded();
    }

    pub fn reload(&self) {
        self.call("Page.reload", &json!({}));
        self.loaded();
    }

    fn loaded(&self) {
        self.until("document.readyState === 'complete' && location.href !== 'about:blank'");
    }

    pub fn size(&self, width: u32, height: u32) {
        let size =
            json!({"width": width, "height": height, "deviceScaleFactor": 1, "mobile": false});
        self.call("Emulation.setDeviceMetricsOverride", &size);
    }

    /// Lets the page do what a user would have to allow.
    pub fn allow(&self, permissions: &[&str]) {
        let allowed = json!({"permissions": permissions, "browserContextId": self.context});
        self.browser
            .call(None, "Browser.grantPermissions", &allowed);
    }

    pub fn dark(&self, is_dark: bool) {
        let value = if is_dark { "dark" } else { "light" };
        let features = json!({"features": [{"name": "prefers-color-scheme", "value": value}]});
        self.call("Emulation.setEmulatedMedia", &features);
    }

    /// Evaluates an expression, and returns its value; waits for a promise.
    pub fn eval(&self, script: &str) -> Value {
        let asked = json!({"expression": script, "awaitPromise": true, "returnByValue": true});
        let answer = self.call("Runtime.evaluate", &asked);
        assert!(
            answer["exceptionDetails"].is_null(),
            "{script}: {}",
            answer["exceptionDetails"]
        );
        answer["result"]["value"].clone()
    }

    /// Waits until an expression is true; what it is.
    pub fn until(&self, script: &str) -> Value {
        let start = Instant::now();
        loop {
            // While another document is loaded, there may be none to ask.
            let value = self.eval(&format!(
                "(() => {{ try {{ return {script} }} catch (error) {{ return undefined }} }})()"
            ));
            if !matches!(value, Value::Null | Value::Bool(false)) && value != "" {
                return value;
            }
            assert!(
                start.elapsed() < LONG,
                "not in {LONG:?}: {script}; the page says: {}",
                self.text("body")
            );
            sleep(Duration::from_millis(30));
        }
    }

    /// The text in sight of the first element that a selector finds.
    pub fn text(&self, selector: &str) -> String {
        let text = self.eval(&format!(
            "document.querySelector({})?.innerText ?? ''",
            json!(selector)
        ));
        text.as_str().unwrap_or_default().to_owned()
    }

    /// Waits until that text has all these words in it.
    pub fn says(&self, selector: &str, words: &[&str]) -> String {
        let text = self.until(&format!(
            "{{}}.x ?? ((text) => {}.every((word) => text.includes(word)) && text)(document.querySelector({}).innerText)",
            json!(words),
            json!(selector)
        ));
        text.as_str().unwrap_or_default().to_owned()
    }

    /// Clicks on the middle of the first element that a selector finds, or of that with a text.
    pub fn click(&self, selector: &str, text: &str) {
        let find = format!(
            "[...document.querySelectorAll({})].find((one) => one.checkVisibility() && one.textContent.includes({}))",
            json!(selector),
            json!(text)
        );
        self.until(&format!("Boolean({find})"));
        self.eval(&format!("{find}.scrollIntoView({{ block: 'center' }})"));
        let place = self.eval(&format!(
            "((box) => [box.x + box.width / 2, box.y + box.height / 2])({find}.getBoundingClientRect())"
        ));
        let at = (place[0].as_f64().unwrap(), place[1].as_f64().unwrap());
        self.mouse(
            "mousePressed",
            at,
            json!({"button": "left", "clickCount": 1}),
        );
        self.mouse(
            "mouseReleased",
            at,
            json!({"button": "left", "clickCount": 1}),
        );
    }

    /// Drags from a point by so many pixels to the right.
    pub fn drag(&self, from: (f64, f64), by: f64) {
        let left = json!({"button": "left", "buttons": 1, "clickCount": 1});
        self.mouse("mousePressed", from, left.clone());
        for step in 1..=4 {
            let at = (from.0 + by * f64::from(step) / 4.0, from.1);
            self.mouse("mouseMoved", at, left.clone());
        }
        self.mouse("mouseReleased", (from.0 + by, from.1), left);
    }

    pub fn wheel(&self, at: (f64, f64), down: f64) {
        self.mouse("mouseWheel", at, json!({"deltaX": 0, "deltaY": down}));
    }

    fn mouse(&self, sort: &str, (x, y): (f64, f64), mut event: Value) {
        event["type"] = sort.into();
        (event["x"], event["y"]) = (x.into(), y.into());
        self.call("Input.dispatchMouseEvent", &event);
    }

    /// Presses keys, each as its name: `a`, `Tab`, `Escape`.
    pub fn press(&self, keys: &[&str]) {
        for key in keys {
            let mut event = json!({"type": "keyDown", "key": key, "code": key});
            let code = match *key {
                "Enter" => Some(("\r", 13)),
                "Tab" => Some(("", 9)),
                "Escape" => Some(("", 27)),
                _ => None,
            };
            match code {
                Some((text, code)) => {
                    event["windowsVirtualKeyCode"] = code.into();
                    if !text.is_empty() {
                        event["text"] = text.into();
                    }
                }
                None if key.chars().count() == 1 => event["text"] = (*key).into(),
                None => {}
            }
            self.call("Input.dispatchKeyEvent", &event);
            let mut up = event;
            up["type"] = "keyUp".into();
            up.as_object_mut().unwrap().shift_remove("text");
            self.call("Input.dispatchKeyEvent", &up);
        }
    }

    pub fn write(&self, text: &str) {
        self.call("Input.insertText", &json!({"text": text}));
    }

    /// A picture of what is in sight, as PNG.
    pub fn picture(&self) -> Vec<u8> {
        // What was asked for is drawn by then.
        self.eval("new Promise((done) => requestAnimationFrame(() => requestAnimationFrame(() => done(1))))");
        let shot = self.call("Page.captureScreenshot", &json!({"format": "png"}));
        let data = shot["data"].as_str().unwrap();
        base64::engine::general_purpose::STANDARD
            .decode(data)
            .unwrap()
    }

    /// Returns the accessibility tree as text: per line a role, the level if it has one, and the
    /// name.
    pub fn read(&self) -> String {
        let tree = self.call("Accessibility.getFullAXTree", &json!({}));
        let mut text = String::new();
        for node in tree["nodes"].as_array().unwrap() {
            let word = |name: &str| node[name]["value"].as_str().unwrap_or_default();
            let properties = node["properties"].as_array().into_iter().flatten();
            let level = properties.filter(|property| property["name"] == "level");
            let mut level = level.map(|one| one["value"]["value"].to_string());
            let level = level.next().map(|level| format!(" {level}"));
            let level = level.unwrap_or_default();
            if node["ignored"] != true {
                let name = word("name").replace('\n', " ");
                let _ = writeln!(text, "{}{level}: {name}", word("role"));
            }
        }
        text
    }

    fn events(&self, method: &str) -> Vec<Value> {
        let mut events = self.browser.events(&self.session);
        events.retain(|event| event["method"] == method);
        events
    }

    /// The addresses of everything that was asked for.
    pub fn asked(&self) -> Vec<String> {
        let all = self.events("Network.requestWillBeSent");
        let url = |event: &Value| {
            event["params"]["request"]["url"]
                .as_str()
                .map(str::to_owned)
        };
        all.iter().filter_map(url).collect()
    }

    /// Exceptions, and what the browser or the page complains about.
    pub fn trouble(&self) -> Vec<String> {
        let thrown = self.events("Runtime.exceptionThrown");
        let thrown = thrown
            .iter()
            .map(|event| event["params"]["exceptionDetails"].to_string());
        let said = self.events("Log.entryAdded");
        let said = said.iter().filter_map(|event| {
            let entry = &event["params"]["entry"];
            (entry["level"] == "error").then(|| format!("{}: {}", entry["text"], entry["url"]))
        });
        thrown.chain(said).collect()
    }

    /// Nothing went wrong, but for what has one of these words in it.
    pub fn assert_well(&self, but: &[&str]) {
        let mut trouble = self.trouble();
        trouble.retain(|one| !but.iter().any(|word| one.contains(word)));
        assert!(trouble.is_empty(), "{trouble:#?}");
    }
}

impl Drop for Tab {
    fn drop(&mut self) {
        if !std::thread::panicking() {
            let of = json!({"browserContextId": self.context});
            self.browser.call(None, "Target.disposeBrowserContext", &of);
        }
    }
}
